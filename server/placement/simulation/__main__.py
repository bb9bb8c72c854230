"""`python -m perception.server.placement.simulation`: reads a ClusterAsked as JSON, writes a ClusterOutcome."""

import logging
import sys

import msgspec
import structlog

from perception.server.placement.simulation.outcome import ClusterAsked, simulate_cluster

if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=ClusterAsked)
    sys.stdout.buffer.write(msgspec.json.encode(simulate_cluster(asked)))
