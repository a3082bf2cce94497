"""The terminal table: whole sessions against bots, full screen (`app`) or line by line (`plain`).

`game` is the table that both share, and `asking` words prompts and expands answers; sentences come from `dasan.text.words`.
"""
