"""Calls as a trace has them."""

from __future__ import annotations

from perception.client.trace import TraceCall


def call(number: int, **given: object) -> TraceCall:
    """A click on the button `Pay NUMBER`, with what is given in place of the usual."""
    return TraceCall(
        **{
            "number": number,
            "rpc": "Click",
            "what": f'click button "Pay {number}" [e{number}]',
            "start_s": 1_750_000_000 + number * 1.5,
            "duration_s": 0.25,
            "tab_id": "t1",
            "url": "https://shop.example/cart",
            "code": "OK",
        }
        | given  # type: ignore[arg-type]
    )
