"""Whether only this machine reaches an address: what others can reach needs encryption and tokens."""

from __future__ import annotations


def is_loopback(host: str) -> bool:
    """Whether a host is this machine alone: `localhost`, or an address of loopback. Other names are not looked up.

    Args:
        host: without port; IPv6 with or without brackets.
    """
    import ipaddress  # takes time that most clients do not need

    bare = host.strip("[]")
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return bare == "localhost"
