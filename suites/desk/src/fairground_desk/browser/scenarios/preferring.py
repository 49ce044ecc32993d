"""Settings: startup, appearance, search, languages, and permissions of sites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairground.core import Check, InvalidConfiguration, State
from fairground.verify import close_to, equal, holds
from fairground.worlds import Enter, Move, Press, Tap, World
from fairground_desk.browser.inspector import (
    addresses,
    check_site_permission,
    preferences_of,
    site_permissions,
    site_zoom,
    web_data_of,
)
from fairground_desk.browser.person import Person
from fairground_desk.browser.scenarios.browser_task import BrowserTask, choose, go, in_settings
from fairground_desk.browser.waiting import shown, window


class HomePage(BrowserTask):
    """Show the home button and set its address."""

    name = "home-page"
    template = "Show the home button in the browser's toolbar, and let it open {url}."
    instances = {
        "intranet": {"site": "intranet", "path": "/"},
        "tickets": {"site": "helpdesk", "path": "/tickets"},
        "programme": {"site": "events", "path": "/programme"},
        "library": {"site": "library", "path": "/articles"},
    }
    settings = ("homepage", "homepage_is_new_tab", "show_home_button")

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"url": self._url(world)}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        preferences = preferences_of(after)
        return [
            equal("the button shows", True, preferences.show_home_button),
            equal("it leads to the address", self._url(world).rstrip("/"), preferences.homepage.rstrip("/")),
            equal("and not to the new tab page", False, preferences.homepage_is_new_tab),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """The toggle, then the address. Typing it also selects that option."""
        return [
            *in_settings(world, "appearance", "Show home button"), Tap("Show home button", role="toggle button"),
            Tap("Enter custom web address", role="entry"), Press("ctrl+a"), Enter(f"{self._url(world)}\t"),
        ]  # fmt: skip

    def _url(self, world: World) -> str:
        return self.person(world).url(str(world.parameters["site"]), str(world.parameters["path"]))


_PAGES = "Open a specific page or set of pages"


class StartupPages(BrowserTask):
    """Set the pages that open at startup."""

    name = "startup-pages"
    template = "When I start the browser, it should open exactly these two pages: {first} and {second}."
    instances = {
        "work": {"one": "intranet", "first_path": "/", "two": "helpdesk", "second_path": "/tickets"},
        "reading": {"one": "library", "first_path": "/articles", "two": "news", "second_path": "/archive"},
        "orders": {"one": "shop", "first_path": "/basket", "two": "events", "second_path": "/programme"},
    }
    settings = ("startup", "startup_urls")

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        first, second = self._urls(world)
        return {"first": first, "second": second}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        preferences = preferences_of(after)
        urls = [url.rstrip("/") for url in preferences.startup_urls]
        wanted = [url.rstrip("/") for url in self._urls(world)]
        return [
            equal("it opens pages of one's own choice", "pages", preferences.startup),
            *(holds(f"{url} is one of them", url in urls, expected=url, found=urls) for url in wanted),
            equal("there are no others", sorted(wanted), sorted(urls)),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        moves: list[Move] = [*in_settings(world, "onStartup", _PAGES), Tap(_PAGES)]
        for url in self._urls(world):
            moves += [
                shown("Add a new page", "link"),
                Tap("Add a new page", role="link"),
                Tap("Site URL", role="entry"),
            ]
            moves += [Enter(url), Tap("Add", role="push button", within="Add a new page")]
        return moves

    def _urls(self, world: World) -> tuple[str, str]:
        owner, parameters = self.person(world), world.parameters
        return owner.url(str(parameters["one"]), str(parameters["first_path"])), owner.url(
            str(parameters["two"]), str(parameters["second_path"])
        )


class Looks(BrowserTask):
    """Set the colour mode, the font size and the page zoom."""

    name = "appearance"
    template = "Set up how the browser looks: mode {mode}, font size “{font}”, page zoom {zoom}% for all sites."
    instances = {
        "evening": {"mode": "Dark", "font": "Large", "points": 20, "zoom": 110},
        "bright": {"mode": "Light", "font": "Very large", "points": 24, "zoom": 90},
        "compact": {"mode": "Dark", "font": "Small", "points": 12, "zoom": 80},
        "projector": {"mode": "Light", "font": "Large", "points": 20, "zoom": 150},
    }
    settings = ("color_scheme", "font_size", "fixed_font_size", "default_zoom")

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        preferences, wanted = preferences_of(after), world.parameters
        return [
            equal("the mode", str(wanted["mode"]).lower(), preferences.color_scheme),
            equal("the size of letters", wanted["points"], preferences.font_size),
            close_to("the zoom of pages", int(wanted["zoom"]) / 100, preferences.default_zoom, within=0.006),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Three lists. The page is zoomed out, because controls out of view are not in the accessibility tree."""
        parameters = world.parameters
        return [
            *in_settings(world, "appearance", "Mode"), *[Press("ctrl+minus")] * 5,
            *choose("Font size", str(parameters["font"])), *choose("Page zoom", str(parameters["zoom"])),
            *choose("Mode", str(parameters["mode"])), Press("ctrl+0"),
        ]  # fmt: skip


class SiteZoom(BrowserTask):
    """Set the zoom of a site."""

    name = "site-zoom"
    template = "Pages of {host} are hard to read. Set the zoom for this site to {zoom}%; other sites stay as they are."
    instances = {
        "larger": {"site": "library", "zoom": 150, "steps": 3},
        "much-larger": {"site": "catalogue", "zoom": 200, "steps": 5},
        "smaller": {"site": "shop", "zoom": 75, "steps": -3},
        "slightly": {"site": "events", "zoom": 110, "steps": 1},
    }

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"host": self._host(world)}

    def setting_changes(self, world: World) -> Sequence[str]:
        return (f"zooms[{self._host(world)}]",)

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        zoom = site_zoom(after, self._host(world))
        return [
            close_to("the zoom of the site", int(world.parameters["zoom"]) / 100, zoom, within=0.006, weight=3.0),
            equal("the default is as it was", preferences_of(before).default_zoom, preferences_of(after).default_zoom,
                  weight=0.0, integrity=True),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        steps = int(world.parameters["steps"])
        key = Press("ctrl+plus" if steps > 0 else "ctrl+minus")
        return [*go(self.person(world).url(str(world.parameters["site"]))), Press("ctrl+0"), *[key] * abs(steps)]

    def _host(self, world: World) -> str:
        return self.person(world).host(str(world.parameters["site"]))


class SitePermission(BrowserTask):
    """Set a permission of a site."""

    name = "site-permission"
    template = "In the browser's site settings, {what} for the site {url} (this site only)."
    instances = {
        "pop-ups": {"kind": "popups", "site": "events", "rule": "allow", "what": "allow pop-ups and redirects"},
        "sound": {"kind": "sound", "site": "news", "rule": "block", "what": "mute the sound"},
        "scripts": {"kind": "javascript", "site": "shop", "rule": "block", "what": "forbid JavaScript"},
        "images": {"kind": "images", "site": "catalogue", "rule": "block", "what": "forbid images"},
        "redirects": {"kind": "popups", "site": "helpdesk", "rule": "block", "what": "forbid pop-ups and redirects"},
    }
    settings = ("content_exceptions[{kind}]*",)

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        return {"url": person.url(str(world.parameters["site"])).rstrip("/")}

    def setting_changes(self, world: World) -> Sequence[str]:
        return [pattern.format_map(world.parameters) for pattern in self.settings]

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        parameters = {name: str(value) for name, value in world.parameters.items()}
        host = self.person(world).host(parameters["site"])
        rules = site_permissions(after, parameters["kind"])
        old = site_permissions(before, parameters["kind"])
        return [
            check_site_permission(after, parameters["kind"], host, parameters["rule"]),
            equal("one rule was added", len(old) + 1, len(rules)),
            holds("the rule is about this site only", all("*" not in key.partition(",")[0] for key in rules),
                  found=list(rules), weight=0.0),
            equal("what all sites may do is as it was", dict(preferences_of(before).content_defaults),
                  dict(preferences_of(after).content_defaults), weight=0.0, integrity=True),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        parameters = world.parameters
        button = "Add site to allowed list" if parameters["rule"] == "allow" else "Add site to not-allowed list"
        url = self.person(world).url(str(parameters["site"])).rstrip("/")
        return [
            *in_settings(world, f"content/{parameters['kind']}", button), Tap(button), Tap("Site", role="entry"),
            Enter(url), Tap("Add", role="push button", within="Add a site"),
        ]  # fmt: skip


class Tracking(BrowserTask):
    """Set Do Not Track and the rule for third-party cookies."""

    name = "tracking-protection"
    template = "Privacy, please: {words}"
    instances = {
        "ask-not": {"track": True, "cookies": "", "words": (
            "let the browser send a “Do Not Track” request with my traffic.")},
        "allow-cookies": {"track": False, "cookies": "third-party blocked in incognito", "words": (
            "one of our portals needs third-party cookies, so allow third-party cookies in general.")},
        "both": {"track": True, "cookies": "third-party blocked in incognito", "words": (
            "send “Do Not Track” with my traffic, but allow third-party cookies, our portals need them.")},
    }  # fmt: skip
    settings = ("do_not_track", "cookies")

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        preferences, was, wanted = preferences_of(after), preferences_of(before), world.parameters
        checks = []
        for name, asked, value, old, new in (
            ("Do Not Track", bool(wanted["track"]), True, was.do_not_track, preferences.do_not_track),
            ("third-party cookies", bool(wanted["cookies"]), wanted["cookies"], was.cookies, preferences.cookies),
        ):
            if asked:
                checks.append(equal(name, value, new, weight=2.0))
            else:
                checks.append(equal(f"{name}: as it was", old, new, weight=0.0, integrity=True))
        return checks

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        moves = in_settings(world, "cookies")
        if world.parameters["track"]:
            moves += [Tap('Send a "Do Not Track" request with your browsing traffic'), Tap("Confirm")]
        if world.parameters["cookies"]:
            moves += [Tap("Allow third-party cookies", role="radio button")]
        return moves


class DownloadPlace(BrowserTask):
    """Set the download folder, or whether the browser asks for it."""

    name = "download-settings"
    template = "Downloads: {words}"
    instances = {
        "ask": {"ask": True, "folder": "",
            "words": "the browser should ask me where to save each file before downloading."},
        "desktop": {"ask": False, "folder": "Desktop", "words": "save them in my folder Desktop from now on."},
        "desktop-ask": {"ask": True, "folder": "Desktop", "words": (
            "from now on they go to my folder Desktop, and the browser should ask where to save each file.")},
    }  # fmt: skip
    settings = ("download_folder", "ask_where_to_save")

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        preferences, was, wanted = preferences_of(after), preferences_of(before), world.parameters
        folder = (
            was.download_folder.replace("Downloads", str(wanted["folder"])) if wanted["folder"] else was.download_folder
        )
        asked = bool(wanted["ask"])
        return [
            equal("the folder", folder, preferences.download_folder, weight=2.0 if wanted["folder"] else 0.0,
                  integrity=not wanted["folder"]),
            equal("whether it asks", asked, preferences.ask_where_to_save, weight=2.0 if asked else 0.0,
                  integrity=not asked),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        moves = in_settings(world, "downloads")
        if world.parameters["ask"]:
            moves += [Tap("Ask where to save each file before downloading", role="toggle button")]
        if world.parameters["folder"]:
            # The dialog has a shortcut for the desktop.
            moves += [Tap("Change", role="push button"), window("Location"), Press("alt+d"), Press("alt+o")]
            moves += [window("Location", gone=True)]
        return moves


class SearchEngine(BrowserTask):
    """Set the default search engine."""

    name = "search-engine"
    template = "Make {engine} the default search engine of the browser. Do not remove any other one."
    instances = {"google": {"engine": "Google"}, "bing": {"engine": "Microsoft Bing"}, "brave": {"engine": "Brave"}}
    settings = ("search_engine", "search_keyword", "search_url")
    fills = True

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        wanted = str(world.parameters["engine"])
        known = {engine.name: engine for engine in web_data_of(before).engines}
        preferences = preferences_of(after)
        names = {engine.name for engine in web_data_of(after).engines}
        return [
            equal("the default search engine", wanted, preferences.search_engine, weight=3.0),
            equal(
                "with its own shortcut", known[wanted].keyword if wanted in known else None, preferences.search_keyword
            ),
            holds("none was removed", set(known) <= names, expected=sorted(known), found=sorted(names), weight=0.0),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Uses the dialog of popular engines. The full list has a filter and moves while text is typed."""
        return [
            *in_settings(world, "search"), shown("Change", "push button"), Tap("Change", role="push button"),
            shown("Set as default", "push button"), Tap(str(world.parameters["engine"]), role="static"),
            Tap("Set as default", role="push button"), shown("Change", "push button"),
        ]  # fmt: skip


class Language(BrowserTask):
    """Add a language for web pages."""

    name = "preferred-language"
    template = "Add {language} to the languages that the browser prefers for web sites, behind the ones that are there."
    instances = {
        "polish": {"language": "Polish", "code": "pl"},
        "swahili": {"language": "Swahili", "code": "sw"},
        "japanese": {"language": "Japanese", "code": "ja"},
        "catalan": {"language": "Catalan", "code": "ca"},
    }
    settings = ("languages",)

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        was, now = list(preferences_of(before).languages), list(preferences_of(after).languages)
        code = str(world.parameters["code"])
        return [
            equal("the language is there once", 1, now.count(code), weight=2.0),
            equal("behind the others", [*was, code], now),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [
            *in_settings(world, "languages", "Add languages"), Tap("Add languages"),
            Enter(str(world.parameters["language"])),
            Tap(f"{world.parameters['language']} - ", role="check box"), Tap("Add", role="push button",
            within="Add languages"),
        ]  # fmt: skip


class SavedAddress(BrowserTask):
    """Save an address for forms."""

    name = "save-address"
    template = (
        "Save this address in the browser, for filling in forms: {name}, {organisation}, {street}, {postcode} {city}, "
        "{country}; telephone {phone}; e-mail {email}."
    )
    instances = {
        "self": {"who": -1},
        "director": {"who": 0},
        "colleague": {"who": 3},
        "other": {"who": 4},
    }
    fills = True

    def words(self, world: World, person: Person) -> Mapping[str, object]:
        """The address, for countries whose form has a field for every part of it."""
        if person.country_code not in _ADDRESS_FIELDS:
            raise InvalidConfiguration(f"the browser's form for an address in {person.country} has no field for a city")
        return {**self._wanted(world), "country": person.country}

    def judge(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        wanted = self._wanted(world)
        saved = addresses(after)
        last = next((address for address in saved if address.get("name") == wanted["name"]), {})
        pairs = (("name", "name"), ("organisation", "organisation"), ("street", "street"), ("postcode", "postcode"),
                 ("city", "city"), ("email", "e-mail"))  # fmt: skip
        digits = "".join(filter(str.isdigit, last.get("phone", "")))
        return [
            equal("there is one address more", len(addresses(before)) + 1, len(saved)),
            *(equal(name, wanted[name], last.get(field)) for name, field in pairs),
            equal("country", self.person(world).country_code, last.get("country")),
            holds("phone", "".join(filter(str.isdigit,
            wanted["phone"])).endswith(digits.lstrip("0")) and len(digits) > 6,
                  expected=wanted["phone"], found=last.get("phone")),
            equal("first and last name are those of the name", sorted(wanted["name"].split()), _words(last, _NAMES)),
            holds("and so are parts of the last name", _words(last, _LAST_NAMES) in ([], _words(last, _NAMES[2:])),
                  found=_words(last, _LAST_NAMES), weight=0.0),
        ]  # fmt: skip

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        """Fields are chosen by name, because forms differ between countries."""
        wanted = self._wanted(world)
        order = _ADDRESS_FIELDS[self.person(world).country_code]
        return [
            *in_settings(world, "contactInfo", "Add address"), Tap("Add address"), *choose("Country / Region",
            self.person(world).country), Press("tab"),
            Enter("\t".join(wanted.get(name, "") for name in order)), Tap("Save", role="push button"),
        ]  # fmt: skip

    def _wanted(self, world: World) -> dict[str, str]:
        owner, who = self.person(world), int(world.parameters["who"])
        name = owner.name if who < 0 else owner.staff[who].name
        return {
            "name": name, "organisation": owner.organisation, "street": owner.street, "postcode": owner.postcode,
            "city": owner.city, "phone": owner.phone,
            "email": f"{'post' if who < 0 else f'office{who}'}@{owner.domain}",
        }  # fmt: skip


_NAMES = ("first name", "4", "last name")  # field names of the inspector; the browser derives a field that has none
_LAST_NAMES = ("107", "108", "109")


def _words(address: Mapping[str, str], fields: Sequence[str]) -> list[str]:
    return sorted(word for field in fields for word in address.get(field, "").split())


_ADDRESS_FIELDS = {
    "PT": ("name", "organisation", "street", "postcode", "city", "phone", "email"),
    "PL": ("name", "organisation", "street", "postcode", "city", "state", "phone", "email"),
    "KE": ("name", "organisation", "street", "city", "postcode", "phone", "email"),
}
"""Fields by country, in the order of the browser's form."""

SCENARIOS = (
    HomePage(), StartupPages(), Looks(), SiteZoom(), SitePermission(), Tracking(), DownloadPlace(), SearchEngine(),
    Language(), SavedAddress(),
)  # fmt: skip
