"""The one way into a Ray cluster, for detectors and for workers.

`address` finds the head of a cluster, `head` asks it who may join, `joining` joins.

Rule 1: a cluster that takes commands from everybody who reaches it is not joined, unless only this machine does.
Rule 2: nothing waits for longer than it says. Ray's own client waits 20 s to 2 minutes for a cluster that is not there
or that has another token, so its head is asked by a plain call before Ray is loaded.
Rule 3: no service, edge or worker loads Ray: `joining` is for commands, and for processes beside these.
"""
