"""The terminal table: whole sessions against bots, full screen (`app`) or line by line (`plain`).

`game` is the table both share, `words` says what happened in sentences, and `asking` reads what a person answers.
"""
