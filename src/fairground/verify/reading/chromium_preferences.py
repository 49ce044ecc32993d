"""Reading Chromium's `Preferences`, `Secure Preferences` and `Local State`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

from fairground.core import StateError
from fairground.verify.reading.jsonfile import read_json

_T = TypeVar("_T")
_WHAT = "preferences (Chromium)"
_STARTUP = {1: "last session", 4: "pages", 5: "new tab", 6: "last session and pages"}
_SETTING = {0: "default", 1: "allow", 2: "block", 3: "ask", 4: "session only"}
_SCHEME = {0: "system", 1: "light", 2: "dark"}
_COOKIES = {0: "allowed", 1: "third-party blocked", 2: "third-party blocked in incognito"}


@dataclass(frozen=True)
class Extension:
    """An extension that a user (or the browser) installed.

    Attributes:
        built_in: Whether it is a part of the browser.
    """

    id: str
    name: str
    version: str
    enabled: bool
    built_in: bool


@dataclass(frozen=True)
class Preferences:
    """The settings of a profile, with the browser's defaults for missing ones.

    Attributes:
        startup: `new tab`, `last session`, `pages` or `last session and pages`.
        search_engine: Name of the default one; empty if the user has not chosen one.
        color_scheme: `system`, `light` or `dark`.
        default_zoom: As a factor: 1.25 is 125%.
        zooms: Zoom factors of single sites, by host.
        content_defaults: Site permissions (`notifications`, `geolocation`, `popups`, ...): `allow`, `block`, `ask` or
            `session only`; only those that a user changed.
        content_exceptions: The same for single sites, by kind and pattern.
        tree: The whole file, merged with `Secure Preferences`.
    """

    homepage: str
    homepage_is_new_tab: bool
    show_home_button: bool
    show_bookmark_bar: bool
    startup: str
    startup_urls: tuple[str, ...]
    search_engine: str
    search_keyword: str
    search_url: str
    font_size: int
    fixed_font_size: int
    minimum_font_size: int
    fonts: Mapping[str, str]
    default_zoom: float
    zooms: Mapping[str, float]
    color_scheme: str
    theme: str
    languages: tuple[str, ...]
    spellcheck: tuple[str, ...]
    translate: bool
    download_folder: str
    ask_where_to_save: bool
    do_not_track: bool
    cookies: str
    safe_browsing: bool
    save_passwords: bool
    fill_addresses: bool
    fill_cards: bool
    content_defaults: Mapping[str, str]
    content_exceptions: Mapping[str, Mapping[str, str]]
    extensions: tuple[Extension, ...]
    profile_name: str
    exit_type: str
    tree: Mapping[str, Any] = field(repr=False, compare=False)

    def get(self, path: str, default: Any = None) -> Any:
        """Any setting by the browser's own path, such as `webkit.webprefs.default_font_size`."""
        return _at(self.tree, path, default)

    def to_json(self) -> dict[str, object]:
        """Everything but the tree."""
        return {name: value for name, value in asdict(replace(self, tree={})).items() if name != "tree"}


def read_preferences(data: bytes, secure: bytes | None = None) -> Preferences:
    """Read the settings of a profile from `Preferences` and, if given, `Secure Preferences`.

    Raises:
        StateError: It is not such a file, a setting has the wrong type, or it is over a limit.
    """
    tree = _object(data)
    if secure is not None:
        tree = _laid_over(tree, _object(secure))
    get = _Getter(tree)
    search = get.mapping("default_search_provider_data.template_url_data")
    return Preferences(
        homepage=get.text("homepage"),
        homepage_is_new_tab=get.flag("homepage_is_newtabpage", True),
        show_home_button=get.flag("browser.show_home_button"),
        show_bookmark_bar=get.flag("bookmark_bar.show_on_all_tabs"),
        startup=_named(_STARTUP, get.whole("session.restore_on_startup", 5)),
        startup_urls=get.texts("session.startup_urls"),
        search_engine=_plain_text(search.get("short_name", "")),
        search_keyword=_plain_text(search.get("keyword", "")),
        search_url=_plain_text(search.get("url", "")),
        font_size=get.whole("webkit.webprefs.default_font_size", 16),
        fixed_font_size=get.whole("webkit.webprefs.default_fixed_font_size", 13),
        minimum_font_size=get.whole("webkit.webprefs.minimum_font_size", 0),
        fonts=_fonts(get.mapping("webkit.webprefs.fonts")),
        default_zoom=_factor(get.mapping("partition.default_zoom_level").get("x", 0)),
        zooms=_zooms(get.mapping("partition.per_host_zoom_levels")),
        color_scheme=_named(
            _SCHEME, get.whole("browser.theme.color_scheme", get.whole("browser.theme.color_scheme2", 0))
        ),
        theme=get.text("extensions.theme.id"),
        languages=_languages(get),
        spellcheck=get.texts("spellcheck.dictionaries"),
        translate=get.flag("translate.enabled", True),
        download_folder=get.text("download.default_directory"),
        ask_where_to_save=get.flag("download.prompt_for_download"),
        do_not_track=get.flag("enable_do_not_track"),
        cookies=_named(_COOKIES, get.whole("profile.cookie_controls_mode", 2)),
        safe_browsing=get.flag("safebrowsing.enabled", True),
        save_passwords=get.flag("credentials_enable_service", True),
        fill_addresses=get.flag("autofill.profile_enabled", True),
        fill_cards=get.flag("autofill.credit_card_enabled", True),
        content_defaults=_content_defaults(get.mapping("profile.default_content_setting_values")),
        content_exceptions=_exceptions(get.mapping("profile.content_settings.exceptions")),
        extensions=_extensions(get.mapping("extensions.settings")),
        profile_name=get.text("profile.name"),
        exit_type=get.text("profile.exit_type"),
        tree=tree,
    )


@dataclass(frozen=True)
class LocalState:
    """Settings that the browser stores next to its profiles.

    Attributes:
        profiles: Display names, by folder.
        flags: Experiments changed at `chrome://flags`.
        tree: The whole file.
    """

    profiles: Mapping[str, str]
    last_used: str
    flags: tuple[str, ...]
    hardware_acceleration: bool
    language: str
    tree: Mapping[str, Any] = field(repr=False, compare=False)

    def get(self, path: str, default: Any = None) -> Any:
        """Any setting by the browser's own path."""
        return _at(self.tree, path, default)


def read_local_state(data: bytes) -> LocalState:
    """Read `Local State`, from the folder that contains the profiles."""
    tree = _object(data)
    get = _Getter(tree)
    profiles = {
        folder: _plain_text(info.get("name", ""))
        for folder, info in get.mapping("profile.info_cache").items()
        if isinstance(info, dict)
    }
    return LocalState(
        profiles=profiles,
        last_used=get.text("profile.last_used"),
        flags=get.texts("browser.enabled_labs_experiments"),
        hardware_acceleration=get.flag("hardware_acceleration_mode.enabled", True),
        language=get.text("intl.app_locale"),
        tree=tree,
    )


LOCAL_SETTINGS: Mapping[str, Any] = {
    "background_mode.enabled": True,
    "browser.enabled_labs_experiments": [],
    "dns_over_https.mode": "automatic",
    "dns_over_https.templates": "",
    "hardware_acceleration_mode.enabled": True,
    "intl.app_locale": "en-US",
    "performance_tuning.battery_saver_mode.state": 1,
    "performance_tuning.high_efficiency_mode.aggressiveness": 1,
    "performance_tuning.high_efficiency_mode.state": 0,
}
"""Settings in `Local State` that users can change, with their defaults."""


def local_state_leaves(state: LocalState) -> dict[str, object]:
    """The settings that users change, by the browser's own path; without counters, dates and profiles."""
    return {path: state.get(path, default) for path, default in LOCAL_SETTINGS.items()}


def preferences_leaves(preferences: Preferences) -> dict[str, object]:
    """The settings that users change, flattened; without exit state, counters and dates."""
    result: dict[str, object] = {}
    for name, value in preferences.to_json().items():
        if name == "extensions":
            for extension in preferences.extensions:
                if not extension.built_in:
                    result[f"extensions[{extension.id}].enabled"] = extension.enabled
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                for last, setting in inner.items() if isinstance(inner, Mapping) else [("", inner)]:
                    result[f"{name}[{key}]" + (f"[{last}]" if last else "")] = setting
        elif name != "exit_type":
            result[name] = list(value) if isinstance(value, tuple) else value
    return result


class _Getter:
    """Settings by path, each checked for the type that the browser writes."""

    def __init__(self, tree: Mapping[str, Any]) -> None:
        self._tree = tree

    def text(self, path: str, default: str = "") -> str:
        return self._of(path, str, default)

    def flag(self, path: str, default: bool = False) -> bool:
        return self._of(path, bool, default)

    def whole(self, path: str, default: int) -> int:
        return self._of(path, int, default)

    def mapping(self, path: str) -> dict[str, Any]:
        return self._of(path, dict, {})

    def texts(self, path: str) -> tuple[str, ...]:
        return tuple(_plain_text(item) for item in self._of(path, list, []))

    def _of(self, path: str, kind: type[_T], default: _T) -> _T:
        value = _at(self._tree, path, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise StateError(f"{_WHAT}: {path} is {str(value)[:40]!r}, expected a {kind.__name__}")
        return value


def _object(data: bytes) -> dict[str, Any]:
    tree = read_json(data, what=_WHAT)
    if not isinstance(tree, dict):
        raise StateError(f"{_WHAT}: not an object")
    return tree


def _at(tree: Any, path: str, default: Any) -> Any:
    for part in path.split("."):
        if not isinstance(tree, Mapping) or part not in tree:
            return default
        tree = tree[part]
    return tree


def _laid_over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _laid_over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _plain_text(value: Any) -> str:
    if not isinstance(value, str):
        raise StateError(f"{_WHAT}: {str(value)[:40]!r}, expected text")
    return value


def _named(names: Mapping[int, str], number: int) -> str:
    return names.get(number, f"unknown ({number})")


def _factor(level: Any) -> float:
    if isinstance(level, bool) or not isinstance(level, int | float) or not -20 <= level <= 20:
        raise StateError(f"{_WHAT}: a zoom level is {str(level)[:40]!r}")
    # Each level is a factor of 1.2; users see whole percents.
    return round(1.2**level, 2)


def _zooms(partitions: Mapping[str, Any]) -> dict[str, float]:
    hosts = partitions.get("x", {})
    if not isinstance(hosts, dict):
        raise StateError(f"{_WHAT}: zoom levels are {str(hosts)[:40]!r}")
    return {
        host: _factor(level.get("zoom_level", 0) if isinstance(level, dict) else level)
        for host, level in sorted(hosts.items())
    }


def _fonts(fonts: Mapping[str, Any]) -> dict[str, str]:
    """Font families by use (`standard`, `serif`, ...), for the common script."""
    return {
        use: _plain_text(scripts["Zyyy"])
        for use, scripts in sorted(fonts.items())
        if isinstance(scripts, dict) and "Zyyy" in scripts
    }


def _languages(get: _Getter) -> tuple[str, ...]:
    listed = get.text("intl.selected_languages") or get.text("intl.accept_languages")
    return tuple(part for part in listed.split(",") if part)


def _content_defaults(values: Mapping[str, Any]) -> dict[str, str]:
    # Markers of finished upgrades are among them, as booleans.
    return {
        kind: _named(_SETTING, value)
        for kind, value in sorted(values.items())
        if isinstance(value, int) and not isinstance(value, bool)
    }


def _exceptions(kinds: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    by_kind: dict[str, dict[str, str]] = {}
    for kind, patterns in sorted(kinds.items()):
        rules = {
            pattern: _named(_SETTING, rule["setting"])
            for pattern, rule in sorted(patterns.items() if isinstance(patterns, dict) else ())
            # Other kinds store the browser's own data here, as objects.
            if isinstance(rule, dict) and type(rule.get("setting")) is int
        }
        if rules:
            by_kind[kind] = rules
    return by_kind


def _extensions(settings: Mapping[str, Any]) -> tuple[Extension, ...]:
    extensions = []
    for identity, info in sorted(settings.items()):
        manifest = info.get("manifest", {}) if isinstance(info, dict) else None
        if not isinstance(manifest, dict):
            raise StateError(f"{_WHAT}: the extension {identity[:40]!r} is not described by an object")
        extensions.append(
            Extension(
                id=identity,
                name=_plain_text(manifest.get("name", "")),
                version=_plain_text(manifest.get("version", "")),
                enabled=not info.get("disable_reasons") and info.get("state", 1) == 1,
                # 5 and 10: components, which come with the browser.
                built_in=info.get("location") in (5, 10),
            )
        )
    return tuple(extensions)
