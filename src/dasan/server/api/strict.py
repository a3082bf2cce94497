"""Routes that read JSON bodies with ``strict_json``, because FastAPI's accept duplicate keys."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from dasan.strict_json import NotJson, parse


class _StrictRequest(Request):
    async def json(self) -> Any:
        try:
            return parse(await self.body())
        except NotJson as error:
            raise HTTPException(400, f"the request {error}") from None


class StrictRoute(APIRoute):
    """A route whose body must be strict JSON; other bodies get status 400."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handle(_StrictRequest(request.scope, request.receive))

        return strict


def router(prefix: str = "") -> APIRouter:
    """A router of strict routes."""
    return APIRouter(prefix=prefix, route_class=StrictRoute)
