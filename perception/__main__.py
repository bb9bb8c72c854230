"""`python -m perception`, and the `perception` program: the command line."""

import sys


def main() -> None:
    """Runs the command. What no machine without a screen has is told in one line: it comes with a package."""
    try:
        from perception.server.cli import main as run
    except ImportError as exc:
        if "libGL" not in str(exc) and "libgthread" not in str(exc):
            raise
        sys.exit(
            f"perception: OpenCV does not load ({exc}): opencv-contrib-python, which PaddleOCR brings, needs a "
            "screen's libraries. pip install --force-reinstall --no-deps opencv-python-headless"
        )
    run()


if __name__ == "__main__":
    main()
