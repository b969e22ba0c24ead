"""A server, a browser, and pages that watch for errors and for requests that leave this computer."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).parents[3]
DATA = ROOT / "examples" / "data"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Lab:
    """A running ``mercer lab``."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.base = address.split("?")[0]


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    """The server of the session, started as a person would."""
    if "MERCER_LAB" in os.environ:
        # A server that runs already.
        yield Lab(os.environ["MERCER_LAB"])
        return
    command = [os.environ["MERCER_BIN"], "lab", "--no-browser", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    yield Lab(json.loads(server.stdout.readline())["address"])
    server.terminate()
    assert server.wait(timeout=20) == 0


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=os.environ["MERCER_BROWSER"], args=FLAGS)
        yield chromium
        chromium.close()


def is_local(address: str) -> bool:
    """Whether a request stays on this computer."""
    parts = urlsplit(address)
    return parts.scheme in ("data", "blob", "about") or parts.hostname in ("127.0.0.1", "localhost")


@pytest.fixture
def open_page(browser: Browser, lab: Lab) -> Iterator[Callable[..., Page]]:
    """Opens pages of a size and a color scheme; at the end there must be no error and no request elsewhere."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []
    expected: list[str] = []

    def open_one(address: str = "", width: int = 1280, scheme: str = "light") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, accept_downloads=True
        )
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: problems.append(f"console: {m.text}") if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: problems.append(f"error of the page: {e}"))
        page.on("request", lambda r: None if is_local(r.url) else problems.append(f"request to {r.url}"))
        page.goto(lab.address + address)
        page.wait_for_selector("main[data-ready]")
        page.expected = expected  # type: ignore[attr-defined]
        return page

    yield open_one
    for context in contexts:
        context.close()
    # A refused request is written to the console by the browser itself.
    left = [p for p in problems if not any(re.search(pattern, p) for pattern in expected)]
    assert not left, left


@pytest.fixture
def refusals_expected() -> str:
    """What the console says of a request that the server refuses, as of a kernel with a mistake."""
    return r"console: Failed to load resource: the server responded with a status of 4\d\d"
