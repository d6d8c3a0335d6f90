"""Chromium driven by Playwright, for tests of pages: `with browsing() as browser`. `reason()`: why it cannot be, if so.

Playwright's own browsers are not asked for: the one that the machine has is used, so that nothing is downloaded.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from headless import executable


def reason() -> str | None:
    if find_spec("playwright") is None:
        return "Playwright is not installed"
    return "there is no Chromium to open the page in" if executable() is None else None


@contextmanager
def browsing() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: Any, address: str, width: int = 1280, height: int = 900, scheme: str = "light") -> Iterator[Any]:
    """A page. What its scripts do not handle, and requests to anywhere but its own place, fail the test."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    try:
        page = context.new_page()
        page.set_default_timeout(60_000)
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        own = "/".join(address.split("/")[:3])
        page.on(
            "request", lambda request: wrong.append(request.url) if not request.url.startswith((own, "blob:")) else None
        )
        page.goto(address)
        yield page
        assert wrong == []
    finally:
        context.close()
