"""A Ray cluster on loopback addresses, each node with its own, as a process of its own: tests never load Ray.

Usage: python nodes.py HEAD_ADDRESS. Prints the head's address; then each line of standard input is a command, and is
answered by a line. The cluster ends with standard input.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from typing import Any

import ray
from ray.cluster_utils import Cluster

NAMESPACE = "perception"

SMALL: dict[str, Any] = {"object_store_memory": 80 * 2**20, "include_dashboard": False}


class Hanging:
    """Takes calls, and never answers."""

    async def news(self, *_: Any) -> None:
        await asyncio.Event().wait()


class Lying:
    """Answers with what no worker says."""

    async def news(self, *_: Any) -> dict[str, Any]:
        return {"name": "worker-liar", "address": "no address"}


class Other:
    """Somebody else's."""

    async def hello(self) -> str:
        return "hello"


KINDS: dict[str, type] = {each.__name__: each for each in (Hanging, Lying, Other)}


class Nodes:
    def __init__(self, head: str) -> None:
        self._cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "node_ip_address": head, **SMALL})
        self._nodes: dict[str, Any] = {}
        self.address = self._cluster.address

    def add(self, address: str) -> None:
        self._nodes[address] = self._cluster.add_node(num_cpus=2, node_ip_address=address, **SMALL)

    def kill(self, address: str) -> None:
        """Ends a node, as a machine that is switched off."""
        self._nodes.pop(address).kill_raylet(check_alive=False)

    def kill_head(self) -> None:
        self._cluster.head_node.kill_gcs_server(check_alive=False)

    def actor(self, name: str, kind: str, namespace: str = NAMESPACE) -> None:
        if not ray.is_initialized():
            ray.init(address=self.address, namespace=NAMESPACE, log_to_driver=False)
        options = {"name": name, "namespace": namespace, "lifetime": "detached", "num_cpus": 0}
        ray.remote(KINDS[kind]).options(**options).remote()

    def crash(self, name: str) -> None:
        """Kills an actor's process."""
        ray.kill(ray.get_actor(name, namespace=NAMESPACE), no_restart=False)

    def end_actor(self, name: str) -> None:
        ray.kill(ray.get_actor(name, namespace=NAMESPACE))


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    nodes = Nodes(sys.argv[1])
    print(nodes.address, file=out, flush=True)
    for line in sys.stdin:
        name, *words = line.split()
        getattr(nodes, name)(*words)
        print("done", file=out, flush=True)
    for process in nodes._cluster.list_all_nodes():
        process.kill_all_processes(check_alive=False, allow_graceful=False)
    time.sleep(0.1)
    os._exit(0)


if __name__ == "__main__":
    main()
