"""The authority of a cluster: certificates by which edges and workers know each other, and the keys that they share.

One folder holds all of it. Edges and workers get a copy without `authority.key`, which only makes more certificates.
`new_cluster` makes the folder.
"""

from __future__ import annotations

from pathlib import Path

import grpc

from perception.server.auth.edge_callers import EDGE
from perception.server.auth.private_file import read_private, read_regular
from perception.server.auth.session_ids import KEYS_NAME, ClusterKey, parse_keys

AUTHORITY, WORKER = "authority", "worker"
"""Names of certificates and of their files, beside EDGE."""

SESSION_KEYS = "session.keys"

HOST = "worker.perception.internal"
"""The name in all workers' certificates: edges know workers by the authority, wherever they are."""


def session_keys(folder: Path) -> tuple[ClusterKey, ...]:
    """The keys of a cluster's folder, the one that signs first. Raises BadInputError."""
    return parse_keys(read_private(folder / SESSION_KEYS, KEYS_NAME))


def edge_credentials(folder: Path) -> grpc.ChannelCredentials:
    """What an edge shows workers, and by what it knows them. Raises BadInputError."""
    return grpc.ssl_channel_credentials(
        read_regular(folder / f"{AUTHORITY}.pem", "the cluster's authority"),
        read_private(folder / f"{EDGE}.key", "the edge's key"),
        read_regular(folder / f"{EDGE}.pem", "the edge's certificate"),
    )
