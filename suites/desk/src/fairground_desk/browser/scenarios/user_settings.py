"""Settings that a user can change in Chromium, besides those that `read_preferences` names, with their defaults.

They are the keys that Chromium's settings pages may write. Left out are choices that dialogs remember (what to clear,
what to import), the layout of toolbars and panels, and features of Google's own builds.
"""

from __future__ import annotations

from typing import Any, Final

from fairground.core import State
from fairground.verify.reading.chromium_preferences import local_state_leaves
from fairground_desk.browser.inspector import local_state_of, preferences_of

_PROFILE: Final[dict[str, Any]] = {
    "accessibility.captions.background_color": "",
    "accessibility.captions.background_opacity": 100,
    "accessibility.captions.live_caption_enabled": False,
    "accessibility.captions.live_translate_enabled": False,
    "accessibility.captions.text_color": "",
    "accessibility.captions.text_font": "",
    "accessibility.captions.text_opacity": 100,
    "accessibility.captions.text_shadow": "",
    "accessibility.captions.text_size": "",
    "alternate_error_pages.enabled": True,
    "auto_pin_new_tab_groups": True,
    "autofill.payment_cvc_storage": True,
    "bookmark_bar.show_tab_groups": True,
    "browser.ctrl_tab_mru": False,
    "browser.custom_chrome_frame": False,
    "browser.enable_spellchecking": True,
    "browser.hovercard.image_previews_enabled": True,
    "browser.hovercard.memory_usage_enabled": True,
    "browser.show_forward_button": True,
    "credentials_enable_automatic_passkey_upgrades": True,
    "credentials_enable_autosignin": True,
    "download_bubble.partial_view_enabled": True,
    "extensions.theme.system_theme": 0,
    "https_only_mode_enabled": False,
    "media_router.media_remoting.enabled": True,
    "net.network_prediction_options": 1,
    "omnibox.keyword_space_triggering_enabled": True,
    "payments.can_make_payment_enabled": True,
    "plugins.always_open_pdf_externally": False,
    "privacy_sandbox.m1.ad_measurement_enabled": False,
    "privacy_sandbox.m1.fledge_enabled": False,
    "privacy_sandbox.m1.topics_enabled": False,
    "profile.content_settings.enable_quiet_permission_ui.notifications": False,
    "profile.password_manager_leak_detection": True,
    "safebrowsing.enhanced": False,
    "safebrowsing.scout_reporting_enabled": False,
    "safety_hub.unused_site_permissions_revocation.enabled": True,
    "search.suggest_enabled": True,
    "settings.a11y.caretbrowsing.enabled": False,
    "settings.a11y.enable_accessibility_image_labels": False,
    "settings.a11y.focus_highlight": False,
    "settings.a11y.overscroll_history_navigation": True,
    "spellcheck.use_spelling_service": False,
    "translate_site_blocklist_with_time": {},
    "url_keyed_anonymized_data_collection.enabled": False,
    "vertical_tabs.enabled": False,
    "webkit.webprefs.encrypted_media_enabled": True,
}


def other_user_settings(state: State) -> dict[str, object]:
    """Return these settings, and those beside the profile, by Chromium's own path; with the default of each."""
    preferences = preferences_of(state)
    settings = {path: preferences.get(path, default) for path, default in _PROFILE.items()}
    return settings | local_state_leaves(local_state_of(state))
