"""`python -m perception`: the command line."""

from perception.server.cli import main

if __name__ == "__main__":
    main()
