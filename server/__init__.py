"""The gRPC edge: services over the rooms below, sessions, errors to status codes, and the command line."""
