"""An agent with OpenAI's SDK (`pip install openai`), for any endpoint of that form.

Usage: python openai_agent.py "Sign up as Ana at https://example.org"
AGENT_MODEL, OPENAI_API_KEY and OPENAI_BASE_URL name the model, PERCEPTION_ADDRESS a running service.
"""

import asyncio
import os
import sys

from openai import AsyncOpenAI

from perception.tools import Toolbox, openai_results

SYSTEM = "Do the user's task in the browser, step by step. When it is done, or cannot be, say so in a sentence."
MAX_TURNS = 40


async def do(task: str) -> str:
    async with AsyncOpenAI() as model, Toolbox.open(os.environ.get("PERCEPTION_ADDRESS")) as tools:
        messages = [
            {"role": "system", "content": f"{SYSTEM}\n{tools.instructions}"},  # these mark the page's words as data
            {"role": "user", "content": task},
        ]
        for _ in range(MAX_TURNS):
            completion = await model.chat.completions.create(
                model=os.environ["AGENT_MODEL"], messages=messages, tools=tools.openai()
            )
            decided = completion.choices[0].message
            messages.append(decided.model_dump(exclude_none=True))
            if not decided.tool_calls:
                return decided.content or ""
            calls = {each.id: each.function for each in decided.tool_calls}
            answers = {key: await tools.call(each.name, each.arguments) for key, each in calls.items()}
            messages += openai_results(answers)  # the page at first, then what each act changed
    return f"not done in {MAX_TURNS} turns"


if __name__ == "__main__":
    print(asyncio.run(do(sys.argv[1])))
