"""The example page in a real browser against a real server."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "examples" / "websocket.html"
PATIENCE = 120  # the server may have to compile its kernels

# Plays f5 as soon as the page lets one, and says when the engine has answered, or the connection has failed. Until
# then an image is waited for, so that the browser does not take the page for complete.
DRIVER = """
<img src="{helper}/wait" alt="">
<script>
  const over = () => {{ new Image().src = "{helper}/over"; }};
  const watch = new MutationObserver(() => {{
    const mine = document.querySelector("#f5.legal");
    if (mine !== null && moves.length === 0) mine.click();
    if (moves.length >= 2 && legal.length > 0 || news.textContent.startsWith("No connection")) over();
  }});
  watch.observe(document.body, {{ childList: true, subtree: true, characterData: true }});
</script>
"""


@pytest.fixture
def browser():
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        reason = "no Chromium here (Debian package chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


class Helper(http.server.SimpleHTTPRequestHandler):
    """Serves the page; answers ``/wait`` once ``/over`` has been asked for."""

    def __init__(self, *arguments, over, **rest):
        self.over = over
        super().__init__(*arguments, **rest)

    def do_GET(self):
        if self.path == "/over":
            self.over.set()
        if self.path in ("/over", "/wait"):
            self.over.wait(PATIENCE)
            self.send_error(404)
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture
def website(tmp_path):
    """The address of a web server for the files in ``tmp_path``."""
    over = threading.Event()
    factory = functools.partial(Helper, directory=tmp_path, over=over)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), factory) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://localhost:{server.server_address[1]}"
        over.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def serve(tmp_path):
    """Starts `fanqi serve` with options and returns its port for WebSocket."""
    processes = []

    def start(*options):
        command = [sys.executable, "-m", "fanqi.cli", "serve", "--port", "0", "--ws-port", "0", *options]
        log = tmp_path / "log"
        with log.open("w") as stderr:
            process = subprocess.Popen(command, stderr=stderr)
        processes.append(process)
        while process.poll() is None:
            for line in log.read_text().splitlines():
                if "listening for WebSocket" in line:
                    return json.loads(line)["port"]
            time.sleep(0.05)
        raise AssertionError(log.read_text())

    yield start
    for process in processes:
        process.terminate()
        assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    ("from_file", "options", "connects"),
    [(False, (), True), (True, ("--ws-origin", "null"), True), (True, (), False)],
    ids=["from a website", "from a file that may", "from a file that may not"],
)
def test_the_example_page_plays_a_move_and_shows_the_engines_answer(
    browser, website, serve, tmp_path, from_file, options, connects
):
    port = serve(*options)
    (tmp_path / "page.html").write_text(PAGE.read_text() + DRIVER.format(helper=website))
    place = (tmp_path / "page.html").as_uri() if from_file else f"{website}/page.html"
    shown = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--dump-dom",
         f"--user-data-dir={tmp_path / 'profile'}", f"{place}?server=ws://127.0.0.1:{port}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=PATIENCE,
        check=True,
    ).stdout  # fmt: skip
    if connects:
        answer = re.search(r"^bestmove ([a-h][1-8])$", shown, re.MULTILINE)[1]
        assert f"&gt; position startpos moves f5 {answer}" in shown
        assert re.search(rf'id="{answer}"[^>]* class="O last"', shown)
        assert "Your move." in shown
    else:
        assert "No connection to" in shown
        assert 'id="f5"' not in shown
