# SPDX-License-Identifier: GPL-2.0
"""Chromium without a screen, driven through a pipe: what a page says, does and loads."""

import base64
import json
import os
import select
import subprocess

TIMEOUT = 120
# By number in the browser, see --remote-debugging-pipe.
TO, FROM = 3, 4


class Browser:
    def __init__(self, work):
        to_read, self.to = os.pipe()
        self.source, from_write = os.pipe()
        # Clear of the numbers that they are to get.
        ends = [os.dup2(fd, 20 + i) for i, fd in enumerate((to_read, from_write))]

        def take_places():
            os.dup2(ends[0], TO)
            os.dup2(ends[1], FROM)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage",
             "--user-data-dir=" + work, "--window-size=1280,1400", "--remote-debugging-pipe"],
            preexec_fn=take_places, pass_fds=(TO, FROM, *ends),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in (to_read, from_write, *ends):
            os.close(fd)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            if not select.select([self.source], [], [], TIMEOUT)[0]:
                raise TimeoutError("chromium does not answer")
            part = os.read(self.source, 1 << 20)
            if not part:
                raise EOFError("chromium has ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        self.events = []
        self.call("Page.navigate", url=url)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def click(self, selector):
        x, y = self.value(
            "(() => { const e = document.querySelector(%s); e.scrollIntoView({block: 'center'});"
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; "
            "})()" % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        for letter in text:
            self.call("Input.dispatchKeyEvent", type="keyDown", text=letter, key=letter)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=letter)

    def press(self, key):
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", key=key)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def complaints(self):
        """Dialogs, exceptions, what a policy refused, and requests but for the page itself."""
        found = []
        for event in self.events:
            method, params = event["method"], event["params"]
            if method in ("Page.javascriptDialogOpening", "Runtime.exceptionThrown"):
                found.append((method, params))
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append((method, params["entry"]["text"]))
            elif method == "Network.requestWillBeSent" and params["type"] != "Document":
                found.append((method, params["request"]["url"]))
        return found

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def end(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.source)
