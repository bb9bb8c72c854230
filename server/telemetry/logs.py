"""The service's log: lines of JSON on standard error.

Rule 1: no page text, no element names, no values from clients; URLs without user, query and fragment. URLs are stripped
here in every line. The rest is ensured by what is logged, and by omitting exception messages that may contain content
of a page.
Rule 2: log records of libraries have the same form, from WARNING on, with their message template only.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterator, MutableMapping
from typing import Any, TextIO, TypeAlias, cast

import msgspec
import structlog

from perception.errors import PerceptionError
from perception.server import rpc_call
from perception.server.telemetry.log_masking import mask_log

EventDict: TypeAlias = MutableMapping[str, Any]

log = structlog.get_logger(__name__)

_URL = re.compile(
    r"\b(?P<scheme>[a-z][a-z0-9+.-]*://)(?:[^\s/?#\"'<>]*@)?(?P<rest>[^\s?#\"'<>]*)(?:[?#][^\s\"'<>]*)?", re.IGNORECASE
)
_DATA_URL = re.compile(r"\b(data|blob|javascript):[^\s\"'<>]+", re.IGNORECASE)

_SPEAKING = (AttributeError, ImportError, NameError, NotImplementedError, RecursionError, TypeError)
"""Exceptions whose messages refer to code, not to data."""


def set_up(level: str = "info", form: str = "json", stream: TextIO | None = None, *, for_good: bool = False) -> None:
    """Configures logging with one line per event.

    Args:
        level: minimum level: debug, info, warning, error.
        form: `json`, or `console` for a person to read.
        stream: the output; standard error when None.
        for_good: loggers are cached on first use, which saves 10 µs per line; a later call of this function then has no
            effect on them.
    """
    stream = stream or sys.stderr
    last: Any = structlog.processors.JSONRenderer(_encode)
    if form == "console":
        last = structlog.dev.ConsoleRenderer(colors=stream.isatty(), pad_event_to=0)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            add_call,
            tell_exception,
            strip_urls,
            mask_log,
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(file=cast(TextIO, _Sink(stream))),
        cache_logger_on_first_use=for_good,
    )
    root = logging.getLogger()
    root.handlers = [_FromLibraries(logging.WARNING)]
    threading.excepthook = _log_thread_error


class _Sink:
    """The output. A line is dropped if its reader is gone or the disk is full; nothing else fails."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()


def log_background_errors(loop: asyncio.AbstractEventLoop) -> None:
    """Logs exceptions that nothing awaits, instead of printing them."""

    def handle(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        # `message` is asyncio's own text; the other entries show objects and their contents.
        message = str(context.get("message", "")).partition("\n")[0]
        log.error("background task failed", what=message, exc_info=context.get("exception"))

    loop.set_exception_handler(handle)


def add_call(_: Any, __: str, event: EventDict) -> EventDict:
    """The request id and the session of the call that is being served."""
    call = rpc_call.current()
    if call is not None:
        event.setdefault("request_id", call.request_id)
        if call.session_id:
            event.setdefault("session", call.session_id)
    return event


def tell_exception(_: Any, __: str, event: EventDict) -> EventDict:
    """`exception`: frames and classes, and messages that refer to code only."""
    error = event.pop("exc_info", None)
    if error is True:
        error = sys.exc_info()[1]
    elif isinstance(error, tuple):
        error = error[1]
    if isinstance(error, BaseException):
        event["exception"] = "".join(_tell(error, set()))
    return event


def strip_urls(_: Any, __: str, event: EventDict) -> EventDict:
    """Reduces URLs to scheme, host and path."""
    for key, value in event.items():
        event[key] = _strip(value)
    return event


def _encode(event: EventDict, **_: Any) -> str:
    """JSON fallback: a value without a JSON form is logged as its class only, since it may contain anything."""
    return msgspec.json.encode(event, enc_hook=lambda each: f"<{type(each).__name__}>").decode()


def _strip(value: Any) -> Any:
    if isinstance(value, str):
        return stripped(value) if ":" in value else value
    if isinstance(value, dict):
        return {key: _strip(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_strip(each) for each in value]
    return value


def stripped(text: str) -> str:
    """A text with user, query and fragment removed from its URLs."""
    if "://" in text:
        text = _URL.sub(r"\g<scheme>\g<rest>", text)
    return _DATA_URL.sub(r"\1:", text)


def _tell(error: BaseException, seen: set[int]) -> Iterator[str]:
    """Formats like the traceback module, without messages that may contain page content. Causes come first."""
    seen.add(id(error))
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and id(cause) not in seen:
        yield from _tell(cause, seen)
        yield "\nwhich led to:\n\n"
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            if id(each) not in seen:
                yield from _tell(each, seen)
                yield "\nin a group:\n\n"
    yield from traceback.format_tb(error.__traceback__)
    yield f"{type(error).__module__}.{type(error).__qualname__}{_words(error)}\n"


def _words(error: BaseException) -> str:
    if isinstance(error, PerceptionError):  # its message may name an element, as in ELEMENT_OBSCURED
        return f" ({error.reason})"
    if isinstance(error, OSError) and error.errno is not None:
        return f" ({error.errno}: {error.strerror})"
    return f": {error}" if isinstance(error, _SPEAKING) else ""


CLIENT_LEFT = "ExecuteBatchError"
"""What gRPC (1.85) raises by itself when a client cancels a stream that it does not read."""


class _FromLibraries(logging.Handler):
    """Receives the records of Python's own logging."""

    def emit(self, record: logging.LogRecord) -> None:
        method = "error" if record.levelno >= logging.ERROR else "warning"
        exc_info = record.exc_info[1] if record.exc_info else None
        if type(exc_info).__name__ == CLIENT_LEFT:
            log.debug("a client left while it was sent an answer")
            return
        # The template without its arguments, which contain the library's data.
        getattr(log, method)("library", logger=record.name, template=str(record.msg)[:200], exc_info=exc_info)


def _log_thread_error(args: threading.ExceptHookArgs) -> None:
    if args.exc_type is not SystemExit:
        log.error("background thread failed", thread=args.thread.name if args.thread else "", exc_info=args.exc_value)
