"""An agent with LangGraph, over MCP (`pip install langchain langchain-openai langchain-mcp-adapters`).

Usage: python langgraph_agent.py "Sign up as Ana at https://example.org"
AGENT_MODEL, such as `openai:NAME`, and the variables of its provider (OPENAI_API_KEY, OPENAI_BASE_URL) name the model,
PERCEPTION_ADDRESS a running service. The command `perception` is on the PATH, from whatever environment.
"""

import asyncio
import os
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

SYSTEM = "Do the user's task in the browser, step by step. When it is done, or cannot be, say so in a sentence."
MAX_STEPS = 80
ADDRESS = os.environ.get("PERCEPTION_ADDRESS")
SERVER = {
    "transport": "stdio",
    "command": "perception",
    "args": ["mcp", "--address", ADDRESS] if ADDRESS else ["mcp"],
    "env": dict(os.environ),
}


async def do(task: str) -> str:
    client = MultiServerMCPClient({"browser": SERVER})
    async with client.session("browser", auto_initialize=False) as session:
        server = await session.initialize()
        agent = create_agent(
            os.environ["AGENT_MODEL"],
            await load_mcp_tools(session),  # within one session, so that the browser is the same in all calls
            system_prompt=f"{SYSTEM}\n{server.instructions}",  # these mark the page's words as data
        )
        ended = await agent.ainvoke({"messages": [("user", task)]}, {"recursion_limit": MAX_STEPS})
        return ended["messages"][-1].text


if __name__ == "__main__":
    print(asyncio.run(do(sys.argv[1])))
