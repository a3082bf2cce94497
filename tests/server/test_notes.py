"""Notes on finished hands: only at existing moves; limits by hand, author and position; pages."""

from __future__ import annotations

import json

import pytest

from dasan.server.store import reviews

from .harness import ANN, Served, ok, played

TEXT = "n" * 2000


def test_a_note_stands_at_a_move_that_exists(server: Served) -> None:
    ann, stranger = server.player(), server.player()
    hand = played(ann)["id"]
    record = [json.loads(line) for line in ann.http.get(f"/api/hands/{hand}/record").text.splitlines()]
    moves = [line["seq"] for line in record if "seq" in line]
    for writer in (ann, stranger):
        for seq in (10**9, max(moves) + 1, 5000, -1):
            answer = writer.http.post(f"/api/hands/{hand}/notes", json={"seq": seq, "text": TEXT})
            assert answer.status_code == 400
            if seq >= 0:
                assert answer.json()["message"] == "the hand has no such move"
        stored = ok(writer.http.post(f"/api/hands/{hand}/notes", json={"seq": moves[3], "text": " why "}))
        assert stored == {"notes": [{"seq": moves[3], "text": "why"}], "next": None}
        assert ok(writer.http.get(f"/api/hands/{hand}/notes")) == stored
    ok(ann.http.post(f"/api/hands/{hand}/notes", json={"seq": moves[3], "text": ""}))
    assert ok(ann.http.get(f"/api/hands/{hand}/notes"))["notes"] == []


@pytest.mark.full
def test_notes_come_a_page_at_a_time(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "PAGE", 4)
    ann = server.player()
    hand = played(ann)["id"]
    path = f"/api/hands/{hand}/notes"
    record = [json.loads(line) for line in ann.http.get(f"/api/hands/{hand}/record").text.splitlines()]
    moves = [line["seq"] for line in record if "seq" in line][:10]
    for seq in moves:
        answer = ann.http.post(path, json={"seq": seq, "text": TEXT})
        assert len(answer.content) < 2100, "the answer is the note, not all of them"
    after: int | None = 0
    seen: list[int] = []
    while after is not None:
        page = ok(ann.http.get(path, params={"after": after} if after else {}))
        assert len(page["notes"]) <= 4
        seen += [note["seq"] for note in page["notes"]]
        after = page["next"]
    assert seen == moves


@pytest.mark.full
def test_notes_are_bounded(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "MOST_OF_STRANGERS", 3)
    monkeypatch.setattr(reviews, "MOST_OF_PLAYER", 5)
    monkeypatch.setattr(reviews, "MOST_OF_STRANGER", 2)
    ann = server.player()
    hand = played(ann)["id"]
    path = f"/api/hands/{hand}/notes"
    record = [json.loads(line) for line in ann.http.get(f"/api/hands/{hand}/record").text.splitlines()]
    moves = [line["seq"] for line in record if "seq" in line]
    one = server.player()
    assert [one.http.post(path, json={"seq": seq, "text": TEXT}).status_code for seq in moves[:3]] == [200, 200, 409]
    assert one.http.post(path, json={"seq": moves[1], "text": ""}).status_code == 200
    assert one.http.post(path, json={"seq": moves[0], "text": ""}).status_code == 200
    codes = [server.player().http.post(path, json={"seq": moves[0], "text": TEXT}).status_code for _ in range(5)]
    assert codes == [200, 200, 200, 409, 409], "strangers share the room"
    known = server.player()
    ok(known.http.post("/api/account", json=ANN))
    assert known.http.post(path, json={"seq": moves[0], "text": TEXT}).status_code == 200, "accounts have their own"
    codes = [ann.http.post(path, json={"seq": seq, "text": TEXT}).status_code for seq in moves[:7]]
    assert codes == [200] * 5 + [409] * 2, "the player has room of their own, up to a number"
    assert ann.http.post(path, json={"seq": moves[0], "text": "shorter"}).status_code == 200
