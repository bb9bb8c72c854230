"""An agent with Anthropic's SDK (`pip install anthropic`).

Usage: python anthropic_agent.py "Sign up as Ana at https://example.org"
AGENT_MODEL, ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL name the model, PERCEPTION_ADDRESS a running service.
"""

import asyncio
import os
import sys

from anthropic import AsyncAnthropic

from perception.tools import Toolbox, anthropic_results

SYSTEM = "Do the user's task in the browser, step by step. When it is done, or cannot be, say so in a sentence."
MAX_TURNS = 40


async def do(task: str) -> str:
    async with AsyncAnthropic() as model, Toolbox.open(os.environ.get("PERCEPTION_ADDRESS")) as tools:
        messages = [{"role": "user", "content": task}]
        for _ in range(MAX_TURNS):
            decided = await model.messages.create(
                model=os.environ["AGENT_MODEL"],
                max_tokens=4096,
                system=f"{SYSTEM}\n{tools.instructions}",  # these mark the page's words as data
                messages=messages,
                tools=tools.anthropic(),
            )
            messages.append({"role": "assistant", "content": decided.content})
            calls = [each for each in decided.content if each.type == "tool_use"]
            if not calls:
                return "".join(each.text for each in decided.content if each.type == "text")
            answers = {each.id: await tools.call(each.name, each.input) for each in calls}
            messages.append(anthropic_results(answers))  # the page at first, then what each act changed
    return f"not done in {MAX_TURNS} turns"


if __name__ == "__main__":
    print(asyncio.run(do(sys.argv[1])))
