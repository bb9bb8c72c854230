"""What clients are told of the network of a session's pages."""
