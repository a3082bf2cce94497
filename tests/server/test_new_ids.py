from __future__ import annotations

import pytest

from dasan.server import new_ids


def test_an_id_never_looks_like_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["-r_7pnRs", "--help-x", "a-b_c"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda size: next(drawn))
    assert new_ids.new_id() == "a-b_c"
