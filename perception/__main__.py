"""`python -m perception`: the command line."""

import gc
import os
import sys

from perception.init_process import run_below_init
from perception.standard_streams import open_closed_streams


def main() -> None:
    """Runs the program. A command of the shell starts without what the others load; its help is theirs."""
    open_closed_streams()
    run_below_init()
    words = sys.argv[1:]
    if words[:1] == ["mcp"]:
        from perception.client.handing_over import hand_over

        if (code := hand_over()) is not None:
            os._exit(code)
    from perception.cli.shell.commands import BY_NAME, COMPLETION

    before_dashes = words[: words.index("--")] if "--" in words else words
    if words and words[0] in BY_NAME and "--help" not in before_dashes and COMPLETION not in os.environ:
        gc.disable()  # a command ends before there is anything to collect
        from perception.cli.shell.running import run_words

        run_words(words)
    from perception.cli.main import main as run_program

    run_program()


if __name__ == "__main__":
    main()
