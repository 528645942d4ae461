"""Error response of the security middleware: a page without external files, or JSON for the script of the page."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape

from starlette.datastructures import Headers

_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1.5rem}"
    "h1{font-size:1.25rem}"
)
ERROR_PAGE_POLICY = (
    f"default-src 'none'; style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of this page: its own style, and nothing else."""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shoal</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>Shoal does not open this</h1>
<p role="alert">{sentence}</p>
</main>
</body>
</html>
"""


def error_response(sentence: str, *, headers: Headers) -> tuple[str, bytes]:
    """Return the media type and the body of an error response."""
    if headers.get("x-requested-with") == "shoal":
        return "application/json", json.dumps({"error": sentence}).encode()
    return "text/html; charset=utf-8", _PAGE.format(style=_STYLE, sentence=escape(sentence)).encode()
