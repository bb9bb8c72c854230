"""The command line: a client of the service like any other. `main` puts the commands together."""
