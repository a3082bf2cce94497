"""The terminal client: sessions against bots, full screen (`app`) or line by line (`plain`).

Both share the table in `game`; `asking` words prompts and expands answers; sentences come from `dasan.text.words`.
"""
