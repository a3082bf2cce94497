"""A deleted name stays nowhere in the files of a database, while the server runs."""

from __future__ import annotations

import pytest

from dasan.server.store.database import DATABASE_FILE

from .harness import Served
from .test_accounts import SECRET, ok

NAME = "Xyzzyplugh"


def found(server: Served) -> dict[str, int]:
    """How often the name stands in each file of the database, in any case."""
    folder = server.settings.data_dir
    files = {path.name: path.read_bytes().lower() for path in folder.glob(f"{DATABASE_FILE}*")}
    return {name: content.count(NAME.lower().encode()) for name, content in files.items()}


@pytest.mark.parametrize("account", [False, True])
def test_a_deleted_name_is_in_no_file(server: Served, account: bool) -> None:
    ann, other = server.player(), server.player()
    if account:
        ok(ann.http.post("/api/account", json={**SECRET, "name": NAME}))
    else:
        ok(ann.http.post("/api/me/name", json={"name": NAME}))
    table_id = ann.open_table("big-three", seats=["me", "open", "random"], name=NAME)
    ok(other.http.post(f"/api/tables/{table_id}/join", json={"name": "Bo"}))
    for n in range(3):
        said = {"type": "chat", "id": f"c{n}", "text": f"I am {NAME}"}
        ok(ann.http.post(f"/api/tables/{table_id}/commands", json=said))
    assert sum(found(server).values()) > 0
    ok(ann.http.post("/api/account/delete", json={"password": SECRET["password"] if account else None}))
    assert set(found(server)) >= {DATABASE_FILE, f"{DATABASE_FILE}-wal"}
    assert sum(found(server).values()) == 0, found(server)
    assert ok(other.http.get(f"/api/tables/{table_id}"))["table"]["seats"][0]["name"] == "Former player"
    assert sum(found(server).values()) == 0, "nor does it come back when the table is read again"
