"""The base of all messages, and the types of small values in them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator

PROTOCOL = 2
MAX_MESSAGE = 64 * 1024
"""The largest message that the server reads from a socket or a request, in bytes."""

CommandId: TypeAlias = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.:-]+$")]
Seat: TypeAlias = int
SeatNumber: TypeAlias = Annotated[int, Field(ge=0, le=7, strict=True)]
"""A seat in a client's message."""
CardText: TypeAlias = str
PresetName: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]
OptionValue: TypeAlias = bool | int | str
Options: TypeAlias = Annotated[dict[str, OptionValue], Field(max_length=64)]
MoveText: TypeAlias = Annotated[str, Field(min_length=1, max_length=512)]
Moves: TypeAlias = Annotated[list[MoveText], Field(max_length=64)]
Number: TypeAlias = Annotated[int, Field(ge=0, lt=1 << 31, strict=True)]
"""The number of an event, a message or a line, in a client's message."""
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=32)]
"""A player's name; the server trims it and rejects control characters."""
BotName: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]
Milliseconds: TypeAlias = int
"""A time, in milliseconds since 1970 by the server's clock; or a length of time in milliseconds."""
Phase: TypeAlias = Literal["auction", "call", "exchange", "play", "over"]
Unit: TypeAlias = Literal["payment", "place", "turns", "none"]
"""The unit of the values of moves, see ``Hint``; none: they have no value."""
Status: TypeAlias = Literal["waiting", "playing", "ended"]
"""waiting: before the first deal. playing: from the first deal. ended: no further hands."""


class Message(BaseModel):
    """The base of all models. Unknown fields are rejected, so that schema and engine cannot diverge."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*")
    @classmethod
    def _no_nul(cls, value: object) -> object:
        """Reject NUL, which PostgreSQL cannot store in text."""
        texts = value if isinstance(value, list | tuple) else (value,)
        if any(isinstance(text, str) and "\0" in text for text in texts):
            raise ValueError("a text has no NUL in it")
        return value

    def wire(self) -> str:
        """This message as JSON text with only the fields that were set."""
        return self.model_dump_json(exclude_unset=True)
