"""Workers on a Ray cluster: which there are, and that they run. Calls never go through Ray.

Rule 1: Ray's code is never loaded in an edge or in a worker: `members` and `launch` talk to processes that load it.
Rule 2: `perception.ray_cluster` is the only way into a cluster: it checks who may join, and that somebody answers.
"""
