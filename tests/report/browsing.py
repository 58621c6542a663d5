"""A real browser with a report in it, and what it complained of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

sync_api = pytest.importorskip("playwright.sync_api")
BROWSER = next(
    (
        browser_path
        for name in ("chromium", "chromium-browser", "google-chrome", "chrome")
        if (browser_path := shutil.which(name))
    ),
    None,
)
SCREENS = {"desk": (1280, 800), "phone": (390, 844)}
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")


class Visit:
    """A page with what it complained of and what it asked for."""

    def __init__(
        self, browser: sync_api.Browser, path: Path, screen: tuple[int, int] = SCREENS["desk"], **options: object
    ) -> None:
        context = browser.new_context(viewport={"width": screen[0], "height": screen[1]}, **options)
        self.page = context.new_page()
        self.messages: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.page.context.close()
