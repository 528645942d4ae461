"""Security middleware: requests from other sites, other host names and without a session."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

import pytest
from server_process import Site, running_server

from shoal.web.http import security
from shoal.web.http.forms import Form
from shoal.web.http.security import SecurityMiddleware, SessionKeys

HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_server(tmp_path_factory.mktemp("security")) as result:
        assert result.request("HEAD", f"/?token={result.token}").status == 403, "a look at the head uses no link up"
        first = result.request("GET", f"/?token={result.token}x")
        assert first.status == 403
        result.log_in()
        yield result
        assert (result.home / "errors.txt").read_text() == "", "nothing is said in the terminal"


def test_the_link_is_exchanged_for_a_cookie_that_only_this_port_gets_back(site: Site) -> None:
    assert site.get("/").status == 200
    assert site.cookie.startswith(f"shoal-{site.port}=")
    assert len(site.cookie) > 40


def test_the_cookie_is_kept_from_scripts_and_from_other_sites(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running_server(tmp_path_factory.mktemp("cookie")) as fresh:
        odd = fresh.get(f"//evil.example/a%0d%0ab?token={fresh.token}")
        assert (odd.status, "set-cookie" in odd.headers) == (400, False)
        fresh.path = "//evil.example/<b>"
        response = fresh.log_in()
        assert response.status == 303
        assert response.headers["location"] == "/evil.example/%3Cb%3E", "a link leads nowhere else"
        assert set(response.headers["set-cookie"].split("; ")[1:]) == {"HttpOnly", "SameSite=Strict", "Path=/"}
        # a cookie of this name that somebody else set beside it changes nothing
        other = fresh.cookie.partition("=")[0]
        assert fresh.get("/", cookie=f"{other}=evil; {fresh.cookie}; a=b").status == 200


def test_a_link_lets_one_browser_in_once(site: Site) -> None:
    again = site.get(f"/?token={site.token}", cookie=None)
    assert again.status == 403
    assert "press Enter in the terminal" in again.body
    assert "set-cookie" not in again.headers
    # the browser that is in may follow it once more
    assert site.get(f"/?token={site.token}").status == 303


@pytest.mark.parametrize("cookie", [None, "shoal=1", "shoal-{port}=", "shoal-{port}=guess", "{cookie}x", "\xff=\xfe"])
def test_nobody_comes_in_without_the_cookie(site: Site, cookie: str | None) -> None:
    given = None if cookie is None else cookie.format(port=site.port, cookie=site.cookie)
    for response in (site.get("/", cookie=given), site.post("/projects", cookie=given)):
        assert response.status == 403
        assert "open the link that shoal web printed" in response.body
        assert response.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("path", ["/static/palette.css", "/nowhere", "/p/000000000000/data"])
def test_nothing_at_all_is_shown_without_it(site: Site, path: str) -> None:
    assert site.get(path, cookie=None).status == 403


@pytest.mark.parametrize("host", ["localhost:{port}", "LOCALHOST:{port}", "127.0.0.1:{port}", "[::1]:{port}"])
def test_our_own_names_are_answered(site: Site, host: str) -> None:
    assert site.get("/", host=host.format(port=site.port)).status == 200


@pytest.mark.parametrize(
    "host",
    [
        *(
            "evil.example",
            "evil.example:{port}",
            "127.0.0.1",
            "localhost",
            "127.0.0.1:1",
            "127.0.0.1:{port}.evil.example",
        ),
        *("", "127.0.0.1:{port}@evil.example", "localhost.:{port}", "0.0.0.0:{port}", "2130706433:{port}"),
        *("[::ffff:127.0.0.1]:{port}", "127.1:{port}", "127.0.0.1:0{port}"),
    ],
)
def test_other_names_are_not(site: Site, host: str) -> None:
    response = site.get("/", host=host.format(port=site.port))
    assert response.status in (400, 421)
    assert "evil" not in response.body


def line(site: Site, *lines: str) -> bytes:
    known = [f"Host: {site.host}", f"Cookie: {site.cookie}", "Connection: close"]
    return "\r\n".join([lines[0], *(lines[1:] or known), "", ""]).encode()


@pytest.mark.parametrize(
    ("first", "status"),
    [
        ("GET / HTTP/1.1", b"200"),
        ("GET http://evil.example/ HTTP/1.1", b"400"),
        ("GET http://127.0.0.1/ HTTP/1.1", b"400"),
        ("CONNECT evil.example:443 HTTP/1.1", b"400"),
        ("OPTIONS * HTTP/1.1", b"400"),
        ("GET /%00 HTTP/1.1", b"400"),
        ("GET /%0d%0aX-Injected:1 HTTP/1.1", b"400"),
        ("GARBAGE", b"400"),
        ("GET /static/../../etc/passwd HTTP/1.1", b"404"),
    ],
)
def test_odd_requests(site: Site, first: str, status: bytes) -> None:
    result = site.raw(line(site, first))
    assert result.split(b" ")[1] == status
    assert b"x-content-type-options: nosniff" in result
    assert b"content-security-policy: default-src 'none'" in result
    assert b"\r\nX-Injected" not in result


def test_a_request_with_two_hosts_or_none_is_refused(site: Site) -> None:
    cookie = f"Cookie: {site.cookie}"
    twice = site.raw(line(site, "GET / HTTP/1.1", f"Host: {site.host}", "Host: evil.example", cookie))
    assert twice.split(b" ")[1] == b"400"
    none = site.raw(line(site, "GET / HTTP/1.0", cookie))
    assert none.split(b" ")[1] == b"421"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "https://127.0.0.1:{port}"},
        {"origin": "http://localhost:{port}"},
        {"origin": ""},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "unheard-of"},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"},
    ],
)
def test_what_another_site_asks_for_is_refused(site: Site, headers: dict[str, str]) -> None:
    given = {name: value.format(port=site.port) for name, value in headers.items()}
    for response in (
        site.get("/", **given),
        site.post("/projects", **given),
        site.get(f"/?token={site.token}", **given),
    ):
        assert response.status == 403
        assert "Another site made" in response.body


def test_what_the_address_bar_and_the_page_itself_ask_for_is_answered(site: Site) -> None:
    assert site.get("/", sec_fetch_site="none").status == 200
    assert site.get("/", sec_fetch_site="same-origin", origin=site.origin).status == 200


def test_a_change_needs_our_origin(site: Site) -> None:
    for origin in (None, "null", f"{site.origin}/", f"{site.origin}.evil.example"):
        assert site.post("/p/000000000000/delete", origin=origin).status == 403
    assert site.post("/p/000000000000/delete", origin=None, sec_fetch_site="same-origin").status == 403
    assert site.post("/p/000000000000/delete").status == 404


def test_a_change_needs_the_token_of_a_form(site: Site) -> None:
    path = "/p/000000000000/delete"
    for given in (None, "", "guess", site.csrf[:-1], site.csrf.upper()):
        response = site.post(path, x_csrf_token=given)
        assert response.status == 403
        assert "reload the page" in response.body
    assert site.post(path, f"csrf={site.csrf}", x_csrf_token=None).status == 404
    assert site.post(path, f"csrf=guess&csrf={site.csrf}", x_csrf_token=None).status == 404
    # what is no form of the web may not carry it in its body
    for kind in ("text/plain", "multipart/form-data; boundary=x", "application/json", None):
        assert site.post(path, f"csrf={site.csrf}", x_csrf_token=None, content_type=kind).status == 403


def test_our_script_is_told_in_plain_data(site: Site) -> None:
    response = site.post("/p/000000000000/delete", x_csrf_token=None, x_requested_with="shoal")
    assert (response.status, response.headers["content-type"]) == (403, "application/json")
    assert response.body.startswith('{"error": "This form')


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "QUERY"])
def test_other_methods_are_refused(site: Site, method: str) -> None:
    response = site.request(method, "/", origin=site.origin, x_csrf_token=site.csrf)
    assert response.status == 405
    assert "access-control-allow-origin" not in response.headers


def test_forms_are_read_with_care(site: Site) -> None:
    path, secret = "/p/000000000000/delete", f"csrf={site.csrf}&name="
    assert site.post(path, secret.encode() + b"%ff").status == 400
    assert site.post(path, secret.encode() + b"\xff").status == 400
    assert site.post(path, secret + "x&" * 200_000).status == 400
    assert site.post(path, secret + "é\0" + quote("ü\0<script>")).status == 404
    assert site.post(path, secret + "x" * (8 << 20)).status == 413
    assert site.post(path, b"x", content_length="10000000000").status == 413


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/static/../app.py",
            "/static/..%2fapp.py",
            "/static/%2e%2e/app.py",
            "/static//etc/passwd",
            "/static/..\\app.py",
        ),
        *(
            "/static/%252e%252e/app.py",
            "/p/../../etc/passwd",
            "/p/..%2f..%2fetc/delete",
            "/p/./delete",
            "/static/",
            "/p",
        ),
        *("//evil.example/", "/p/000000000000/delete", "/projects"),
    ],
)
def test_no_path_leads_out_of_the_page(site: Site, path: str) -> None:
    response = site.get(path)
    assert response.status in (404, 405)
    assert "root:" not in response.body
    assert "import" not in response.body
    assert "location" not in response.headers


def test_every_answer_has_the_same_headers(site: Site) -> None:
    responses = [
        site.get("/"),
        site.get("/static/palette.css"),
        site.get("/static/style.css"),
        site.get("/nowhere"),
        site.get("/p/000000000000/delete"),
        site.post("/p/000000000000/delete"),
        site.post("/projects", x_csrf_token=None),
        site.get("/", cookie=None),
        site.get("/", host="evil.example"),
        site.get("/", origin="http://evil.example"),
        site.get(f"/?token={site.token}"),
        site.request("PUT", "/", origin=site.origin),
        site.request("HEAD", "/"),
    ]
    assert {response.status for response in responses} == {200, 303, 403, 404, 405, 421}
    for response in responses:
        assert {name: response.headers.get(name) for name in HEADERS} == HEADERS
        assert response.headers["content-security-policy"].startswith("default-src 'none'")
        assert "camera=()" in response.headers["permissions-policy"]
        assert "server" not in response.headers
        assert not any(name.startswith("access-control") for name in response.headers)
    assert responses[0].headers["content-security-policy"] == POLICY
    assert responses[3].headers["content-security-policy"] == POLICY


def test_a_websocket_is_none(site: Site) -> None:
    result = site.raw(
        line(
            site,
            "GET / HTTP/1.1",
            f"Host: {site.host}",
            f"Cookie: {site.cookie}",
            "Connection: Upgrade, close",
            "Upgrade: websocket",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            "Sec-WebSocket-Version: 13",
        ),
        wait=3,
    )
    assert b" 101 " not in result


def test_keys_are_used_up_and_renewed() -> None:
    keys = SessionKeys(8088)
    assert not keys.exchange("")
    first = keys.new_token()
    second = keys.new_token()
    assert not keys.exchange(first), "a fresh link makes the one before void"
    assert keys.exchange(second)
    inside, secret = keys.set_cookie.partition(";")[0], keys.csrf
    assert keys.has_session_cookie([inside])
    assert not keys.exchange(second)
    assert keys.has_session_cookie([inside])
    assert keys.exchange(keys.new_token())
    assert not keys.has_session_cookie([inside]), "who comes later shuts out who came before"
    assert keys.csrf != secret
    inside, last = keys.set_cookie.partition(";")[0], keys.new_token()
    assert keys.exchange(last, has_session=True)
    assert keys.has_session_cookie([inside]), "who is in stays in, with the same forms"
    assert not keys.exchange(last)


def test_keys_know_the_names_of_the_page() -> None:
    assert SessionKeys(8088, hosts=["Office.example"]).hosts == {
        "127.0.0.1:8088",
        "localhost:8088",
        "[::1]:8088",
        "office.example:8088",
    }
    assert "127.0.0.1" in SessionKeys(80).hosts
    assert "[fe80::1]:8088" in SessionKeys(8088, hosts=["fe80::1"]).hosts


def test_a_form_has_all_that_was_sent() -> None:
    form = Form([("a", "1"), ("b", ""), ("a", "2")])
    assert (form.get("a"), form.get("b", "x"), form.get("c", "x")) == ("2", "", "x")
    assert form.all("a") == ["1", "2"]
    assert "b" in form
    assert "c" not in form


def call(app: Any, *bodies: bytes, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Call an application behind the middleware with a valid session, without a network."""
    keys = SessionKeys(8088)
    known = {"host": "127.0.0.1:8088", "cookie": f"{keys.cookie}={keys.session}", "x-csrf-token": keys.csrf, **headers}
    scope = {
        "type": "http",
        "method": method,
        "scheme": "http",
        "path": "/",
        "query_string": b"",
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in known.items()],
    }
    coming: Sequence[Any] = [{"type": "http.request", "body": body, "more_body": True} for body in bodies]
    waiting, sent = [*coming, {"type": "http.request", "body": b"", "more_body": False}], []

    async def receive() -> Any:
        await asyncio.sleep(0.001 if waiting else 60)
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(SecurityMiddleware(app, keys)(scope, receive, send))
    result = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], result, b"".join(message["body"] for message in sent[1:])


def call_with_form(app: Any, *bodies: bytes) -> tuple[int, dict[str, str], bytes]:
    kind = {"content_type": "application/x-www-form-urlencoded", "transfer_encoding": "chunked"}
    return call(app, *bodies, method="POST", origin="http://127.0.0.1:8088", **kind)


async def plain(scope: Any, _: Any, send: Any) -> None:
    """An application that shows the form, and has headers of its own."""
    own = [(b"Server", b"x"), (b"Content-Security-Policy", b"sandbox"), (b"Cache-Control", b"public")]
    await send({"type": "http.response.start", "status": 200, "headers": own})
    await send({"type": "http.response.body", "body": scope["state"]["form"].get("name").encode()})


def test_an_answer_may_have_a_policy_of_its_own_and_no_other_header_of_the_guard() -> None:
    status, headers, _ = call(plain)
    assert (status, headers["content-security-policy"]) == (200, "sandbox")
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers


def test_a_bug_is_told_by_its_place_and_never_by_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    async def broken(_: Any, __: Any, ___: Any) -> None:
        raise ValueError("a cell of the data")

    status, headers, body = call(broken)
    assert (status, headers["x-frame-options"]) == (500, "DENY")
    printed = capsys.readouterr().err
    assert "ValueError in test_security.py, line" in printed
    assert b"ValueError" in body
    assert "cell" not in printed
    assert b"cell" not in body


def test_a_form_without_a_length_is_read_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call_with_form(plain, b"name=a", b"b+c%21&x=1")[::2] == (200, b"ab c!")
    status, headers, _ = call_with_form(plain, b"name=", *[b"x" * (1 << 20)] * 9)
    assert (status, headers["connection"]) == (413, "close")
    monkeypatch.setattr(security, "_PATIENCE", 0)
    assert call_with_form(plain, b"name=a")[0] == 408
