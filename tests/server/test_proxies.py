"""Behind nginx and Caddy, configured as in the hosting guide: real addresses, Secure cookies, sockets, no forged headers."""

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
WITHOUT_IPV6 = {"    listen [::]:80;\n": "", "    listen [::]:443 ssl;\n": ""}
"""The machine of a test need not have IPv6."""


@dataclass
class Proxied:
    """A server behind a proxy that terminates TLS."""

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
    """nginx with the guide's file; only its port, its certificate and the server are the test's."""
    executable = installed("nginx")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run([installed("openssl"), *signed(NAME, key, certificate)], check=True, capture_output=True)
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    for before, after in {
        **WITHOUT_IPV6,
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "/etc/letsencrypt/live/cards.example/fullchain.pem": str(certificate),
        "/etc/letsencrypt/live/cards.example/privkey.pem": str(key),
        "http://127.0.0.1:8000": f"http://127.0.0.1:{upstream}",
    }.items():
        assert before in text
        text = text.replace(before, after)
    (folder / "nginx.conf").write_text(whole(folder, text), encoding="utf-8")
    with running([executable, "-c", str(folder / "nginx.conf"), "-p", str(folder)]):
        wait_for(port)
        yield certificate


def installed(name: str) -> str:
    """A program of the system; without it the test is skipped with a reason."""
    executable = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if executable is None:
        pytest.skip(f"no {name}: on Debian and Ubuntu, apt-get install nginx-light openssl")
    return executable


def signed(name: str, key: Path | str, certificate: Path | str) -> list[str]:
    """The arguments of openssl for a key and a self-signed certificate."""
    made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    named = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    return ["req", *made, *named, "-keyout", str(key), "-out", str(certificate)]


def whole(folder: Path, http: str) -> str:
    """A complete nginx configuration around its ``http`` block, with all files in the folder."""
    temporary = "".join(f"{kind}_temp_path {folder};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    main = f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
    return f"{main}http {{\naccess_log off;\n{temporary}{http}\n}}\n"


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
    """Wait until the proxy has made its certificate."""
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
            try:
                child.wait(SECONDS)
            finally:
                child.kill()  # the end of the with block waits without a limit


@contextmanager
def legible() -> Iterator[Path]:
    """A folder readable by the proxies' own users."""
    with tempfile.TemporaryDirectory(prefix="dasan-proxy-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def folder() -> Iterator[Path]:
    with legible() as made:
        yield made


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def proxied(request: pytest.FixtureRequest) -> Iterator[Proxied]:
    with legible() as folder, proxy(request.param, folder) as running:
        yield running


@contextmanager
def proxy(kind: str, folder: Path) -> Iterator[Proxied]:
    """A server behind a proxy of that kind."""
    settings = fast(
        folder,
        allowed_hosts=(NAME,),
        trusted_proxies=("127.0.0.1",),
        table_burst=2,
        table_rate=0.001,
        metrics_token="t" * 16,
    )
    with served(settings) as server:
        port, plain = free_port(), free_port()
        start = nginx if kind == "nginx" else caddy
        with start(folder, int(server.address.rpartition(":")[2]), port, plain) as certificate:
            trusting = ssl.create_default_context(cafile=str(certificate))
            yield Proxied(server, kind, port, plain, trusting)


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
    """Not by going around the proxy either: the server trusts only the proxy."""
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


def test_one_command_gets_a_certificate_for_nginx(folder: Path) -> None:
    """nginx is real. certbot, whose authority a test cannot reach, is a stand-in that checks its arguments and leaves
    a certificate.
    """
    nginx_path, openssl, name = installed("nginx"), installed("openssl"), "tables.example"
    port, plain, tools = free_port(), free_port(), folder / "tools"
    live = folder / f"letsencrypt/live/{name}"
    for needed in (tools, live, folder / "conf.d"):
        needed.mkdir(parents=True)
    here = {
        "/var/www/html": f"{folder}/www",
        "/etc/nginx/conf.d": f"{folder}/conf.d",
        "/etc/letsencrypt": f"{folder}/letsencrypt",
        **WITHOUT_IPV6,
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
    }
    for file in ("nginx-certificate", "nginx.conf"):
        text = (DEPLOY / file).read_text(encoding="utf-8")
        for before, after in here.items():
            text = text.replace(before, after)
        (folder / file).write_text(text, encoding="utf-8")
    (folder / "main.conf").write_text(whole(folder, f"include {folder}/conf.d/*.conf;"), encoding="utf-8")
    certificate = live / "fullchain.pem"
    make = " ".join(signed(name, live / "privkey.pem", certificate))
    run = f"{nginx_path} -c {folder}/main.conf -p {folder}"
    for tool, line in {
        "certbot": f'echo "$@" > {folder}/told && {openssl} {make}',
        "nginx": f'{run} "$@"',
        "systemctl": f'echo "$@" > {folder}/reloaded',
    }.items():
        (tools / tool).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (tools / tool).chmod(0o755)
    script = ["sh", str(folder / "nginx-certificate"), name, "host@tables.example"]
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    subprocess.run(script, env=environment, check=True, capture_output=True)
    arguments = (folder / "told").read_text(encoding="utf-8")
    assert f"--domain {name} --webroot --webroot-path {folder}/www" in arguments
    assert "--deploy-hook systemctl reload nginx" in arguments
    assert (folder / "reloaded").read_text(encoding="utf-8") == "reload nginx\n"
    challenge = folder / "www/.well-known/acme-challenge/token"
    challenge.parent.mkdir(parents=True)
    challenge.write_text("proof", encoding="utf-8")
    with running(run.split()):
        wait_for(port)
        headers = {"host": name}
        assert httpx.get(f"http://127.0.0.1:{plain}/.well-known/acme-challenge/token", headers=headers).text == "proof"
        assert httpx.get(f"http://127.0.0.1:{plain}/t/x", headers=headers).headers["location"] == f"https://{name}/t/x"
        trusting = ssl.create_default_context(cafile=str(certificate))
        with sockets.create_connection(("127.0.0.1", port)) as raw:
            trusting.wrap_socket(raw, server_hostname=name).close()
