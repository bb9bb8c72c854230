"""What pages may reach: addresses, policy, name resolution, the egress proxy."""
