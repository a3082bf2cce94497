"""Whether the server is well."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse

import dasan
from dasan.server import schema
from dasan.server.api.asked import StoreHere
from dasan.server.protocol import PROTOCOL, Health
from dasan.server.refusals import Refused
from dasan.server.reporting import report

router = APIRouter(prefix="/api")


@router.get("/asyncapi.json", include_in_schema=False)
async def asyncapi() -> JSONResponse:
    """The socket's protocol as an AsyncAPI document; ``/api/openapi.json`` is that of REST."""
    return JSONResponse(schema.asyncapi(dasan.__version__))


@router.get("/health")
async def health(store: StoreHere) -> Health:
    """Whether the server can do its work: it answers, and its store can be written to."""
    try:
        await store.check()
    except Exception as error:
        report("the store cannot be written to", error)
        raise Refused("unavailable", "the store cannot be written to") from None
    return Health(status="ok", version=dasan.__version__, protocol=PROTOCOL)
