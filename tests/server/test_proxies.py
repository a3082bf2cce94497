"""Behind nginx and Caddy, set up as the hosting guide says: real addresses, Secure cookies, sockets, nothing forged."""

from __future__ import annotations

import os
import re
import shutil
import socket as sockets
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from .harness import SECONDS, Served, Socket, fast, served
from .services import free_port, program, wait_for

pytestmark = pytest.mark.full

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = "cards.example"


@dataclass
class Proxied:
    """A server behind a proxy that speaks TLS."""

    server: Served
    proxy: str
    port: int
    plain_port: int
    trusting: ssl.SSLContext

    def ask(
        self, method: str, path: str, *, source: str = "127.0.0.1", name: str = NAME, **more: object
    ) -> httpx.Response:
        """The answer to a request from a browser with the address ``source``."""
        headers = {"host": name, **more.pop("headers", {})}  # type: ignore[dict-item]
        transport = httpx.HTTPTransport(verify=self.trusting, local_address=source)
        with httpx.Client(transport=transport, timeout=SECONDS) as http:
            url = f"https://127.0.0.1:{self.port}{path}"
            return http.request(method, url, headers=headers, extensions={"sni_hostname": NAME}, **more)  # type: ignore[arg-type]


@contextmanager
def nginx(folder: Path, upstream: int, port: int, plain: int) -> Iterator[Path]:
    """nginx with the file of the guide: where it listens, its certificate and the server are those of the test."""
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    openssl = shutil.which("openssl")
    if found is None or openssl is None:
        pytest.skip("no nginx, or no openssl: on Debian and Ubuntu, apt-get install nginx-light openssl")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    named = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([openssl, "req", *made, *named, *files], check=True, capture_output=True)
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    for before, after in {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "/etc/letsencrypt/live/cards.example/fullchain.pem": str(certificate),
        "/etc/letsencrypt/live/cards.example/privkey.pem": str(key),
        "http://127.0.0.1:8000": f"http://127.0.0.1:{upstream}",
    }.items():
        assert before in text
        text = text.replace(before, after)
    temporary = "".join(f"{kind}_temp_path {folder};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    whole = f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
    whole += f"http {{\naccess_log off;\n{temporary}{text}\n}}\n"
    (folder / "nginx.conf").write_text(whole, encoding="utf-8")
    with running([found, "-c", str(folder / "nginx.conf"), "-p", str(folder)]):
        wait_for(port)
        yield certificate


@contextmanager
def caddy(folder: Path, upstream: int, port: int, plain: int) -> Iterator[Path]:
    """Caddy with the file of the guide, a certificate of its own, and the server of the test."""
    text = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    assert "127.0.0.1:8000" in text
    ours = ["admin off", "local_certs", "skip_install_trust", f"http_port {plain}", f"https_port {port}"]
    ours += ["default_bind 127.0.0.1", f"storage file_system {folder}/storage"]
    options = "{\n" + "\n".join(ours) + "\n}\n"
    whole = options + text.replace("127.0.0.1:8000", f"127.0.0.1:{upstream}")
    (folder / "Caddyfile").write_text(whole, encoding="utf-8")
    command = [program("caddy"), "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    with running(command, XDG_CONFIG_HOME=str(folder), XDG_DATA_HOME=str(folder)):
        wait_for(port)
        root = folder / "storage/pki/authorities/local/root.crt"
        wait_for_certificate(port, root)
        yield root


def wait_for_certificate(port: int, root: Path) -> None:
    """Wait until the proxy has made itself a certificate."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            trusting = ssl.create_default_context(cafile=str(root))
            with sockets.create_connection(("127.0.0.1", port), timeout=5) as raw:
                trusting.wrap_socket(raw, server_hostname=NAME).close()
        except OSError:
            assert time.monotonic() < deadline, "no certificate"
            time.sleep(0.1)
        else:
            return


@contextmanager
def running(command: list[str], **environment: str) -> Iterator[None]:
    with subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        try:
            yield
        finally:
            child.terminate()
            child.wait(SECONDS)


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def proxied(request: pytest.FixtureRequest) -> Iterator[Proxied]:
    folder = Path(tempfile.mkdtemp(prefix="dasan-proxy-"))
    folder.chmod(0o755)
    settings = fast(
        folder,
        allowed_hosts=(NAME,),
        trusted_proxies=("127.0.0.1",),
        table_burst=2,
        table_rate=0.001,
        metrics_token="t" * 16,
    )
    try:
        with served(settings) as server:
            port, plain = free_port(), free_port()
            start = nginx if request.param == "nginx" else caddy
            with start(folder, int(server.address.rpartition(":")[2]), port, plain) as certificate:
                trusting = ssl.create_default_context(cafile=str(certificate))
                yield Proxied(server, request.param, port, plain, trusting)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_a_table_through_the_proxy(proxied: Proxied) -> None:
    """The cookie is Secure, and the socket goes through."""
    origin = {"origin": f"https://{NAME}"}
    answer = proxied.ask("POST", "/api/tables", source="127.0.0.9", json={"preset": "big-two"}, headers=origin)
    assert answer.status_code == 201, answer.text
    cookie = answer.headers["set-cookie"]
    assert "Secure" in cookie
    assert "HttpOnly" in cookie
    table_id = answer.json()["id"]
    raw = sockets.create_connection(("127.0.0.1", proxied.port))
    with connect(
        f"wss://{NAME}/ws/tables/{table_id}",
        sock=raw,
        ssl=proxied.trusting,
        server_hostname=NAME,
        origin=Origin(f"https://{NAME}"),
        additional_headers={"cookie": cookie.partition(";")[0]},
    ) as websocket:
        socket = Socket(websocket)
        assert socket.receive()["type"] == "snapshot"
        assert socket.table["table"]["you"] == 0
        socket.receive_all()


def test_limits_are_by_the_browsers_address_and_not_by_what_it_says(proxied: Proxied) -> None:
    body = {"preset": "big-two"}
    codes = [
        proxied.ask(
            "POST", "/api/tables", source="127.0.0.2", json=body, headers={"x-forwarded-for": f"203.0.113.{last}"}
        ).status_code
        for last in range(3)
    ]
    assert codes == [201, 201, 429]
    assert proxied.ask("POST", "/api/tables", source="127.0.0.3", json=body).status_code == 201, "somebody else"


def test_a_browser_cannot_say_that_it_came_by_tls(proxied: Proxied) -> None:
    """Not past the proxy either: the server believes the proxy alone."""
    headers = {"host": NAME, "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https"}
    transport = httpx.HTTPTransport(local_address="127.0.0.4")
    with httpx.Client(transport=transport, timeout=SECONDS) as http:
        answer = http.post(f"{proxied.server.address}/api/tables", json={"preset": "big-two"}, headers=headers)
        assert answer.status_code == 201
        assert "Secure" not in answer.headers["set-cookie"]


def test_other_names_and_other_sites_are_kept_out(proxied: Proxied) -> None:
    answer = proxied.ask("GET", "/api/presets", name="evil.example")
    assert "big-two" not in answer.text
    if proxied.proxy == "nginx":
        assert answer.status_code == 403
    headers = {"origin": "https://evil.example"}
    answer = proxied.ask("POST", "/api/tables", source="127.0.0.5", json={"preset": "big-two"}, headers=headers)
    assert answer.status_code == 403


def test_figures_are_not_passed_on(proxied: Proxied) -> None:
    token = {"authorization": "Bearer " + "t" * 16}
    for path in ("/metrics", "/ready", "/api/ready"):
        assert proxied.ask("GET", path, headers=token).status_code == 404
    assert proxied.ask("GET", "/health").status_code == 200


def test_plain_http_leads_to_tls(proxied: Proxied) -> None:
    answer = httpx.get(f"http://127.0.0.1:{proxied.plain_port}/t/x", headers={"host": NAME})
    assert answer.status_code in (301, 308)
    assert re.match(rf"https://{re.escape(NAME)}(:\d+)?/t/x$", answer.headers["location"])
