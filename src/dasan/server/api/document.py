"""The OpenAPI document: FastAPI's, with the refusals that every request may get."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from dasan.server.protocol.messages import ErrorMessage
from dasan.server.refusals import STATUS

REFUSED = tuple(sorted({*STATUS.values(), HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.INTERNAL_SERVER_ERROR}))
"""The statuses of refusals. All have the same body."""
REPLACED = ("HTTPValidationError", "ValidationError")
"""FastAPI's schema of malformed requests, which this server does not send."""
SCHEMAS = "#/components/schemas/"


def document(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """The function that FastAPI calls for the document, which is cached."""

    def made() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(title=app.title, version=app.version, routes=app.routes)
            _, models = models_json_schema([(ErrorMessage, "serialization")], ref_template=SCHEMAS + "{model}")
            schemas = document.setdefault("components", {}).setdefault("schemas", {})
            schemas.update({name: model for name, model in models["$defs"].items() if name not in schemas})
            for name in REPLACED:
                schemas.pop(name, None)
            body = {"application/json": {"schema": {"$ref": SCHEMAS + ErrorMessage.__name__}}}
            for operations in document["paths"].values():
                for operation in operations.values():
                    answers = operation["responses"]
                    answers.pop("422", None)
                    for status in REFUSED:
                        answers.setdefault(str(int(status)), {"description": HTTPStatus(status).phrase, "content": body})
            app.openapi_schema = document
        return app.openapi_schema

    return made
