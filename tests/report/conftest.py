"""One browser for all tests of reports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import BROWSER, sync_api


@pytest.fixture(scope="session")
def browser() -> Iterator[sync_api.Browser]:
    with sync_api.sync_playwright() as playwright:
        # --no-sandbox: CI runs as root, where chromium refuses its own sandbox.
        started = playwright.chromium.launch(
            executable_path=BROWSER,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
        )
        yield started
        started.close()
