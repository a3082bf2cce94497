"""Health, readiness and metrics of the server."""

from __future__ import annotations

import hmac

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response

import dasan
from dasan.server import schema
from dasan.server.api.dependencies import ChecksHere
from dasan.server.operations.metrics import CONTENT_TYPE, Metrics
from dasan.server.protocol.base import PROTOCOL
from dasan.server.protocol.rest import Health
from dasan.server.refusals import Refused
from dasan.server.store.migrating import newest
from dasan.version import commit

router = APIRouter()


SENTENCES = {
    "store": "the store cannot be written to",
    "disk": "the disk of the data folder is nearly full",
    "bus": "NATS does not answer",
    "workers": "the bots' processes fail",
    "accepting": "the server is stopping",
}


@router.get("/api/asyncapi.json", include_in_schema=False)
async def asyncapi() -> JSONResponse:
    """The WebSocket protocol as an AsyncAPI document; ``/api/openapi.json`` describes REST."""
    return JSONResponse(schema.asyncapi(dasan.__version__))


@router.get("/health", include_in_schema=False)
@router.get("/api/health")
async def health(checks: ChecksHere) -> Health:
    """Whether the server works, which needs a writable store. 503 with the reason if not."""
    return _well(await checks.health())


@router.get("/ready", include_in_schema=False)
@router.get("/api/ready")
async def ready(checks: ChecksHere) -> Health:
    """Whether players should be sent to this process. 503 with the reason if not."""
    return _well(await checks.readiness())


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    """Metrics for Prometheus, for clients with the host's token."""
    token = request.app.state.settings.metrics_token
    given = request.headers.get("authorization", "").encode("utf-8", "replace")
    if not token:
        raise Refused("not-found", "metrics are disabled on this server")
    if not hmac.compare_digest(given, f"Bearer {token}".encode()):
        raise Refused("forbidden", "metrics need the host's token")
    shown: Metrics = request.app.state.metrics
    return Response(await shown.text(), media_type=CONTENT_TYPE)


def _well(checks: dict[str, bool]) -> Health:
    wrong = [SENTENCES[name] for name, well in checks.items() if not well]
    if wrong:
        raise Refused("unavailable", "; ".join(wrong))
    return Health.model_validate(
        {"status": "ok", "version": dasan.__version__, "commit": commit(), "schema": newest(), "protocol": PROTOCOL}
    )
