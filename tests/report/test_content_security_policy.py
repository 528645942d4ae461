"""The content security policy of a page allows its own style sheets and nothing else."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode

from shoal.report import html


def test_a_page_names_its_style_sheets_by_their_hashes() -> None:
    page = html.document("Title", "<svg><style>b { color: red; }</style></svg>")
    sheets = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    marks = [f"'sha256-{b64encode(hashlib.sha256(sheet.encode()).digest()).decode()}'" for sheet in sheets]
    assert len(marks) == 2
    assert f"content=\"default-src 'none'; style-src {' '.join(marks)}\"" in page
    assert html.content_security_policy(page) == f"default-src 'none'; style-src {' '.join(marks)}"
    assert "unsafe" not in page


def test_a_title_cannot_bring_a_style_sheet() -> None:
    known = html.content_security_policy(html.document("Title"))
    assert html.content_security_policy(html.document("<style>b { color: red; }</style>")) == known
