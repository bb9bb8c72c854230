"""`python -m perception`: the command line."""

from perception.cli.main import main

if __name__ == "__main__":
    main()
