"""External links are checked in form without a network, and followed with one; citations resolve."""

import http.server
import threading

import pytest


@pytest.fixture
def page(tidy):
    """Adds a line to a page of a tidy repository that has one reference; returns the findings of scripts/check on it."""
    path = tidy.root / "book" / "copy.rst"
    before = path.read_text(encoding="utf-8")
    (tidy.root / "book" / "references.bib").write_text(
        "% SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors\n% SPDX-License-Identifier: CC-BY-4.0\n"
        "@misc{known2009, url = {https://example.org/a}}\n",
        encoding="utf-8",
    )

    def findings(line: str, *arguments: str) -> list[str]:
        path.write_text(f"{before}\n{line}\n", encoding="utf-8")
        return tidy.run("check", *arguments).stderr.splitlines()

    return findings


def test_what_is_in_order(page):
    assert page("See https://example.org/b, and :cite:t:`known2009{pages 7, 8}`.") == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("See http://example.org/b.", "book/copy.rst:4: http://example.org/b is not https"),
        ("See https://example/b.", "book/copy.rst:4: https://example/b names no host"),
        ("As in :cite:p:`known2009, nobody`.", "book/copy.rst:4: references.bib has no nobody"),
    ],
)
def test_what_is_not(page, line, wrong):
    assert page(line) == [wrong]


def test_links_are_followed(page, monkeypatch):
    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/there" else 404)
            self.end_headers()

        def log_message(self, *_):
            pass

    from conflict_free.checking import links

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_address[1]}"
        monkeypatch.setattr(links, "links", lambda: iter([("a.rst", 1, f"{root}/there"), ("b.rst", 2, f"{root}/gone")]))
        assert list(links.dead_links()) == [f"b.rst:2: {root}/gone answers 404"]
        server.shutdown()
    monkeypatch.setattr(links, "links", lambda: iter([("c.rst", 3, f"{root}/there")]))
    (found,) = links.dead_links()
    assert "does not answer" in found
