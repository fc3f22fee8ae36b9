"""A headless Chromium behind chromedriver, with the standard library only."""

import base64
import json
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# Runs before anything of a page: notes what its policy refuses.
WATCH = """
window.refused = [];
document.addEventListener("securitypolicyviolation", (event) =>
    refused.push(event.violatedDirective + " " + event.blockedURI + " " + event.sample));
"""
NAMED = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Left": "\ue012", "Up": "\ue013",
         "Right": "\ue014", "Down": "\ue015"}


class Browser:
    def __init__(self, chromium):
        self.folder = tempfile.TemporaryDirectory()
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        port = None
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                port = line.rstrip(".\n ").rsplit(" ", 1)[1]
                break
        assert port, "chromedriver did not start"
        self.url = f"http://127.0.0.1:{port}"
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 f"--user-data-dir={self.folder.name}"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"binary": chromium, "args": flags},
                  "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = "/session/" + made["sessionId"]
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def cdp(self, command, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, path):
        self.call("POST", self.session + "/url", {"url": "about:blank"})
        # What was asked for until now is of the browser's first tab.
        self.requests()
        self.call("POST", self.session + "/url", {"url": "file://" + path})

    def run(self, script, *args):
        return self.call("POST", self.session + "/execute/sync", {"script": "return " + script, "args": args})

    def until(self, script):
        """Waits until a script says something true."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if found := self.run(script):
                return found
        raise AssertionError(f"never true: {script}")

    def keys(self, *keys):
        """Presses keys, one after the other."""
        actions = []
        for key in keys:
            key = NAMED.get(key, key)
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        self.call("POST", self.session + "/actions", {"actions": [source]})

    def find(self, selector):
        found = self.call("POST", self.session + "/element", {"using": "css selector", "value": selector})
        return found[ELEMENT]

    def click(self, selector):
        self.call("POST", f"{self.session}/element/{self.find(selector)}/click", {})

    def point_at(self, selector):
        origin = {ELEMENT: self.find(selector)}
        move = {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin}
        self.call("POST", self.session + "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move]}]})

    def screen(self, width, height, dark=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path):
        shot = self.call("GET", self.session + "/screenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot))

    def log(self, kind):
        return self.call("POST", self.session + "/se/log", {"type": kind})

    def requests(self):
        """The addresses that pages asked for, since the last time."""
        events = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        sent = [event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent"]
        opened = [event["params"].get("url", "") for event in events
                  if event["method"] == "Network.webSocketCreated"]
        return sent + opened

    def complaints(self):
        """What the console says in warnings and errors."""
        return [entry["message"] for entry in self.log("browser") if entry["level"] != "INFO"]

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.folder.cleanup()
