"""Chromium without a window, driven over a pipe by its own protocol: real keys and clicks, nothing to install."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

_FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --hide-scrollbars --remote-debugging-pipe""".split()
_LIMIT = 120.0  # seconds without an answer: then it hangs
_CODES = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "Tab": 9}


def executable() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """`with Browser(profile) as browser`: the process is ended behind it."""

    def __init__(self, profile: Path) -> None:
        path = executable()
        assert path is not None
        their_input, self._write = os.pipe()
        self._read, their_output = os.pipe()

        def connect() -> None:  # in the new process: the protocol goes over 3 and 4
            apart = [fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (their_input, their_output)]
            for number, each in enumerate(apart, 3):
                os.dup2(each, number)
                os.close(each)

        self._process = subprocess.Popen(
            [path, *_FLAGS, f"--user-data-dir={profile}"],
            preexec_fn=connect,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_input)
        os.close(their_output)
        self._poll = select.poll()  # unlike `select`, for any number of open files
        self._poll.register(self._read, select.POLLIN)
        self._buffer, self._number = b"", 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.send("Browser.close")
        except OSError:
            pass
        finally:
            try:
                self._process.wait(_LIMIT)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            os.close(self._read)
            os.close(self._write)

    def send(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        """A command, and its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        os.write(self._write, json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            self.events.append(answer)

    def next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready = self._poll.poll(_LIMIT * 1000)
            more = os.read(self._read, 1 << 20) if ready else b""
            if not more:
                raise OSError("the browser has ended" if ready else "the browser does not answer")
            self._buffer += more
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def page(self, address: str, width: int = 1440, height: int = 900, scheme: str = "light") -> "Page":
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        page.send("Page.enable")
        page.send("Runtime.enable")
        page.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.open(address)
        return page


class Page:
    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session

    def send(self, method: str, **parameters: Any) -> Any:
        return self.browser.send(method, self.session, **parameters)

    def open(self, address: str) -> None:
        self.browser.events.clear()
        self.send("Page.navigate", url=address)
        while not any(each.get("method") == "Page.loadEventFired" for each in self.browser.events):
            self.browser.events.append(self.browser.next())
        assert self.errors() == []

    def errors(self) -> list[Any]:
        """Exceptions that the page's script did not handle."""
        return [each["params"] for each in self.browser.events if each.get("method") == "Runtime.exceptionThrown"]

    def value(self, expression: str) -> Any:
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=_CODES[key])
        assert self.errors() == []

    def click(self, selector: str) -> None:
        """In the middle of the first element, which is scrolled into view."""
        self.value(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
        box = self.value(f"document.querySelector({selector!r}).getBoundingClientRect().toJSON()")
        place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)
        assert self.errors() == []

    def text(self, selector: str) -> str:
        found: str = self.value(f"document.querySelector({selector!r}).innerText")
        return found

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))
