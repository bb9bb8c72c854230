"""Looks at a page, clicks its first button, reads an error, and cancels a watch.

Usage: python look_and_click.py ADDRESS URL
Example: python look_and_click.py 127.0.0.1:50051 https://example.com

The token, if the service requires one, is read from PERCEPTION_TOKEN.
"""

import os
import sys

import perception


def look_and_click(page: perception.Page, url: str) -> None:
    page.navigate(url)
    snapshot = page.snapshot()
    print(snapshot.text.rstrip())

    button = next((each for each in snapshot.elements if each.role == "button" and each.reachable), None)
    if button:
        page.click(button.ref)
        print(f'clicked {button.ref}, the button "{button.name}"')

    try:
        page.click("e999999")
    except perception.RemoteError as error:
        print(f"a click on e999999 is refused: {error.code.name}, {error.reason} {error.metadata}: {error}")

    watch = page.watch(mode="text")
    print(f"watching: {next(watch).snapshot_id} came first")
    watch.close()  # cancels it on the server, too
    print("the watch is cancelled")


def main(address: str, url: str) -> None:
    token = os.environ.get("PERCEPTION_TOKEN")
    access = {"token": token} if token else {}
    with perception.connect(address, **access) as client, client.open() as page:
        look_and_click(page, url)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python look_and_click.py ADDRESS URL")
    try:
        main(*sys.argv[1:])
    except perception.RemoteError as error:
        sys.exit(f"{error.reason or error.code.name}: {error}")
