"""A Ray cluster of a head and nodes, as a process: `ray.cluster_utils.Cluster`. The campaign itself loads no Ray.

Run as a module with a folder as its argument. It prints the address of the head, then reads commands, a line of JSON
each (`{"do": NAME, …}`), and answers each with a line of JSON. Standard error gets what Ray prints.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HEAD, NODE = "127.0.1.1", "127.0.1.{}"
"""Each node has an address of its own, as each machine has."""

REAP_SECONDS = 0.2

SMALL: dict[str, Any] = {"object_store_memory": 80 * 2**20, "include_dashboard": False}


class Nodes:
    """The nodes of one cluster. Node 0 and up have room for one worker each; the head has none."""

    def __init__(self, folder: Path) -> None:
        import ray
        from ray.cluster_utils import Cluster

        # This machine's own default cluster is somebody else's.
        ray._private.utils.write_ray_address = lambda *_, **__: None
        self._ray = ray
        arguments = {"num_cpus": 0, "node_ip_address": HEAD, "temp_dir": str(folder / "ray"), **SMALL}
        self._cluster = Cluster(initialize_head=True, head_node_args=arguments)
        self._nodes: dict[int, Any] = {}

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(self, index: int, environment: dict[str, str]) -> dict[str, Any]:
        """A node whose processes have an environment of their own."""
        before = dict(os.environ)
        os.environ.update(environment)
        try:
            self._nodes[index] = self._cluster.add_node(num_cpus=1, node_ip_address=NODE.format(index + 2), **SMALL)
        finally:
            os.environ.clear()
            os.environ.update(before)
        return {"pid": self._pid(self._nodes[index], "raylet")}

    def kill(self, index: int) -> dict[str, Any]:
        """All of Ray's processes of a node, at once."""
        node = self._nodes.pop(index)
        self._cluster.worker_nodes.discard(node)
        node.kill_all_processes(check_alive=False, allow_graceful=False)
        return {}

    def raylet(self, index: int) -> dict[str, Any]:
        return {"pid": self._pid(self._nodes[index], "raylet")}

    def reap(self) -> None:
        """Lets processes that have ended go, for as long as this one runs: an actor of a zombie goes on."""
        while True:
            for node in self._cluster.list_all_nodes():
                for started in list(node.all_processes.values()):
                    for each in started:
                        each.process.poll()
            time.sleep(REAP_SECONDS)

    def kill_head(self) -> dict[str, Any]:
        self._cluster.head_node.kill_gcs_server(check_alive=False)
        return {}

    def start_head(self) -> dict[str, Any]:
        """At the same address, with what it had stored."""
        self._cluster.head_node.start_gcs_server()
        return {"address": self.address}

    def actors(self) -> dict[str, Any]:
        """Those that are alive or on their way."""
        table = self._cluster.global_state.actor_table(None, None, None)
        return {"count": sum(each["State"] != "DEAD" for each in table.values())}

    def close(self) -> dict[str, Any]:
        self._cluster.shutdown()
        return {}

    @staticmethod
    def _pid(node: Any, kind: str) -> int:
        return int(node.all_processes[kind][0].process.pid)


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what Ray prints goes elsewhere
    nodes = Nodes(Path(sys.argv[1]))
    acts: dict[str, Callable[..., dict[str, Any]]] = {
        "add": nodes.add,
        "kill": nodes.kill,
        "raylet": nodes.raylet,
        "kill_head": nodes.kill_head,
        "start_head": nodes.start_head,
        "actors": nodes.actors,
        "close": nodes.close,
    }
    threading.Thread(target=nodes.reap, name="reap", daemon=True).start()
    print(json.dumps({"address": nodes.address}), file=out, flush=True)
    try:
        for line in sys.stdin:
            asked = json.loads(line)
            try:
                answer = acts[asked.pop("do")](**asked)
            except Exception as exc:  # told to the campaign, which knows what it asked
                answer = {"error": f"{type(exc).__name__}: {exc}"}
            print(json.dumps(answer), file=out, flush=True)
    finally:
        with contextlib.suppress(Exception):
            nodes.close()
        os._exit(0)


if __name__ == "__main__":
    main()
