"""What the pages of a session ask of the network, kept for its client."""
