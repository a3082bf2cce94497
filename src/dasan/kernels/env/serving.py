"""The loops of one thread over batched environments. A factory binds the functions of a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dasan.arrays import U, Words
from dasan.kernels.env.buffers import BLOCK, Buffers, clear_mask, clear_result, sample, signed
from dasan.kernels.env.past import forced, only_legal, remember
from dasan.kernels.env.threads import (
    ASLEEP,
    FORCED,
    SAMPLE,
    START,
    WRITE,
    Posts,
    Workspace,
    agreed,
    enter,
    illegal_in,
    next_order,
)
from dasan.kernels.runtime.compiled import apart, belonging_to, lean, woven
from dasan.kernels.runtime.parcels import opened

Parcel = tuple[Posts, Workspace, Any, Buffers, Any]
"""(posts, workspace, states, buffers, tables): states and tables are the game's."""


@woven
def never(tables: Any) -> bool:
    """For games with a single way of writing legal actions."""
    return False


def make_serve(
    module: str,
    move_all: Callable[..., None],
    publish: Callable[..., None],
    observe: Callable[..., None],
    write_optional: Callable[..., None],
    publish_plain: Callable[..., None] | None = None,
    plain: Callable[..., bool] = never,
) -> Callable[[Parcel, int, int], int]:
    """The kernel of a game: serve(parcel, me, order) carries out `order` and the commands that follow on thread `me`'s range of
    environments, and returns ILLEGAL; see `kernels.env.threads`.

    module: the name of the game's module. move_all(parcel, me, first, end, last, starting): start the first hands of environments
    `first` to `end` - 1, or carry out their actions; settle and redeal hands that are over. publish(i, scratch, states, buffers,
    tables): write the seat to act and its legal actions. observe(i, states, buffers, tables): write the observation.
    write_optional(i, optional, states, buffers, tables): write the optional outputs. publish_plain: in place of `publish` where
    plain(tables).
    """

    @apart
    @belonging_to(module)
    def publish_all(parcel: Parcel, me: int, first: int, end: int) -> None:
        _, workspace, states, buffers, tables = opened(parcel)
        scratch = workspace.scratch[me]
        for i in range(U(first), U(end)):
            publish(i, scratch, states, buffers, tables)

    @apart
    @belonging_to(module)
    def publish_all_plain(parcel: Parcel, me: int, first: int, end: int) -> None:
        _, workspace, states, buffers, tables = opened(parcel)
        scratch = workspace.scratch[me]
        for i in range(U(first), U(end)):
            publish_plain(i, scratch, states, buffers, tables)  # type: ignore[misc]

    @apart
    @belonging_to(module)
    def observe_all(parcel: Parcel, first: int, end: int) -> None:
        _, _, states, buffers, tables = opened(parcel)
        for i in range(U(first), U(end)):
            observe(i, states, buffers, tables)

    publish_block = publish_all if publish_plain is None else publish_all_plain

    # It calls the loops for one environment, and `starting` is not a literal False: binding the game's functions again,
    # or compiling for a literal, would take as long as the first compilation.
    @apart
    @belonging_to(module)
    def skip_forced(parcel: Parcel, me: int, first: int, last: int, starting: bool) -> None:
        _, workspace, _, buffers, tables = opened(parcel)
        for i in range(first, last):
            if not forced(i, buffers):
                continue
            while forced(i, buffers):
                action, seat = only_legal(i, buffers), signed(buffers.to_act[i])
                workspace.chosen[i] = action
                move_all(parcel, me, i, i + 1, last, starting)
                remember(i, action, seat, buffers, workspace.past)
                if plain(tables):
                    publish_block(parcel, me, i, i + 1)
                else:
                    publish_all(parcel, me, i, i + 1)
            if workspace.observing:
                observe_all(parcel, i, i + 1)

    @apart
    @belonging_to(module)
    def write_all(parcel: Parcel, first: int, end: int) -> None:
        _, workspace, states, buffers, tables = opened(parcel)
        for i in range(U(first), U(end)):
            write_optional(i, workspace.optional, states, buffers, tables)

    @lean
    @belonging_to(module)
    def serve(parcel: Parcel, me: int, order: int) -> int:
        posts, workspace, _, buffers, tables = opened(parcel)
        first, last = enter(me, posts)
        while order != ASLEEP:
            if order == SAMPLE:
                sample(first, last, workspace.choice, buffers)
            elif order == WRITE:
                write_all(parcel, first, last)
            elif order == FORCED:
                skip_forced(parcel, me, first, last, order == START)
            elif order == START or agreed(me, posts, workspace.chosen, buffers):
                for block in range(first, last, BLOCK):
                    end = min(block + BLOCK, last)
                    move_all(parcel, me, block, end, last, order == START)
                    if plain(tables):
                        publish_block(parcel, me, block, end)
                    else:
                        publish_all(parcel, me, block, end)
                    if workspace.observing:
                        observe_all(parcel, block, end)
            order = next_order(me, posts)
        return illegal_in(me, posts)

    return serve


def make_show(
    module: str, publish: Callable[..., None], observe: Callable[..., None]
) -> Callable[[Any, Buffers, Any, Words], None]:
    """The kernel show(states, buffers, tables, scratch) of a game, which writes what the seats to act may do and see, for the
    unfinished hands in the rows of `states`. Arguments as for `make_serve`.
    """

    @lean
    @belonging_to(module)
    def show(states: Any, buffers: Buffers, tables: Any, scratch: Words) -> None:
        for i in range(buffers.done.shape[0]):
            clear_result(i, buffers, buffers.rewards.shape[1])
            clear_mask(i, buffers)
            publish(i, scratch, states, buffers, tables)
            observe(i, states, buffers, tables)

    return show
