"""The OpenAPI document names every status of an answer."""

from __future__ import annotations

import pytest

import dasan
from dasan.server.api.document import REFUSED
from dasan.server.app import create_app
from dasan.server.refusals import STATUS
from dasan.server.settings import Settings
from dasan.server.store.migrating import newest
from dasan.version import commit

from .harness import Served, played


def test_every_operation_names_every_refusal_with_its_body() -> None:
    document = create_app(Settings(warm=0)).openapi()
    operations = [one for path in document["paths"].values() for one in path.values()]
    assert len(operations) > 40
    for operation in operations:
        assert {str(status) for status in REFUSED} <= set(operation["responses"])
        assert "422" not in operation["responses"], "a malformed request is answered 400"
        assert any(status.startswith("2") for status in operation["responses"])
    assert set(STATUS.values()) <= set(REFUSED)
    assert "ErrorMessage" in document["components"]["schemas"]
    assert "HTTPValidationError" not in document["components"]["schemas"]


@pytest.mark.full
def test_answers_are_of_the_kinds_that_the_document_names(server: Served) -> None:
    ann = server.player()
    hand = played(ann)
    document = ann.http.get("/api/openapi.json").json()["paths"]
    for path, of in (("record", hand), ("picture", hand), ("review", hand), ("known", hand)):
        answer = ann.http.get(f"/api/hands/{of['id']}/{path}")
        named = document[f"/api/hands/{{hand_id}}/{path}"]["get"]["responses"][str(answer.status_code)]["content"]
        assert answer.headers["content-type"].partition(";")[0] in named
    for method, path, status in (
        ("DELETE", "/api/lobby", 405),
        ("GET", "/api/hands/x", 404),
        ("POST", "/api/tables", 400),
    ):
        answer = ann.http.request(method, path, content=b"[]", headers={"content-type": "application/json"})
        assert answer.status_code == status
        assert set(answer.json()) >= {"type", "code", "message"}


def test_health_names_version_commit_and_schema(server: Served) -> None:
    health = server.player().http.get("/api/health").json()
    assert (health["version"], health["commit"], health["schema"]) == (dasan.__version__, commit(), newest())
    assert set(health) == {"status", "version", "commit", "schema", "protocol"}
