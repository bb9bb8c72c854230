"""An agent without any framework, for any endpoint of OpenAI's form.

Usage: python plain_agent.py "Sign up as Ana at https://example.org"
AGENT_MODEL, OPENAI_API_KEY and OPENAI_BASE_URL name the model, PERCEPTION_ADDRESS a running service.
"""

import asyncio
import json
import os
import sys
from urllib.request import Request, urlopen

from perception.tools import Toolbox, openai_results

SYSTEM = "Do the user's task in the browser, step by step. When it is done, or cannot be, say so in a sentence."
MAX_TURNS = 40


def ask_model(**request) -> dict:
    url = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    body = json.dumps({"model": os.environ["AGENT_MODEL"], **request}).encode()
    with urlopen(Request(url, body, headers), timeout=300) as reply:
        return json.load(reply)["choices"][0]["message"]


async def do(task: str) -> str:
    async with Toolbox.open(os.environ.get("PERCEPTION_ADDRESS")) as tools:
        messages = [
            {"role": "system", "content": f"{SYSTEM}\n{tools.instructions}"},  # these mark the page's words as data
            {"role": "user", "content": task},
        ]
        for _ in range(MAX_TURNS):
            decided = await asyncio.to_thread(ask_model, messages=messages, tools=tools.openai())
            messages.append(decided)
            if not decided.get("tool_calls"):
                return decided["content"]
            calls = {each["id"]: each["function"] for each in decided["tool_calls"]}
            answers = {key: await tools.call(each["name"], each["arguments"]) for key, each in calls.items()}
            messages += openai_results(answers)  # the page at first, then what each act changed
    return f"not done in {MAX_TURNS} turns"


if __name__ == "__main__":
    print(asyncio.run(do(sys.argv[1])))
