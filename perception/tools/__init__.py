"""Tools for a language model: what they take, what they do, what they answer, apart from any protocol.

    async with Toolbox.open() as tools:
        tools.openai(), tools.openai_responses(), tools.anthropic()  # for a request to a model
        answer = await tools.call("open", {"url": "https://example.org"})
        print(answer.text)

`perception.mcp` serves the same tools to hosts of the Model Context Protocol. A call passes `offer` (which tools there
are), `arguments` (what a model wrote, as values) and a handler in `native` or `playwright`; it ends as an `Answer`.

Rule 1: nothing here knows a protocol or a vendor's SDK; `forms` has their forms as plain values.
Rule 2: the texts of snapshots, diffs and content are the service's own, unchanged.
"""

from perception.interaction.answers import Answer
from perception.tools.forms import anthropic_results, openai_responses_results, openai_results
from perception.tools.toolbox import Toolbox

__all__ = ["Answer", "Toolbox", "anthropic_results", "openai_responses_results", "openai_results"]
