"""A shell that keeps its session: commands that act one after the other on the same page.

`commands` is the table of them, `parsing` reads a command line by it, `running` runs one. A session is a name: `store`
keeps what belongs to it between commands, `naming` says which one a command means without a name. `service` starts the
user's own service, or finds it; `folders` says where all of this lies.

Rule 1: a command in an open session loads what it runs with and no more (tests/unit/cli/test_shell_start.py): an agent
waits for every start. No library of command lines is loaded; `typer_commands` makes help and completion of the same
table.
Rule 2: a command that fails says in one line what to do.
"""
