"""The browser page as a screen, against a real Chromium in a real sandbox."""
