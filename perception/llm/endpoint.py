"""A chat endpoint with OpenAI's protocol: one request, with retries, and the cost of its answer.

Nothing else in the package accesses a network, and this accesses one address only.

Rule 1: the key is read from the environment for each request, and is in no value, message or file.
Rule 2: redirects are not followed: they would send the key and the page to another address than the configured one.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import time
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perception.errors import BadInputError, PerceptionError
from perception.render.tokens import count_tokens

if TYPE_CHECKING:
    import httpx

_LIBRARIES = ("httpx", "stamina")

ATTEMPTS = 4
"""Requests for one answer at most."""

FIRST_WAIT_SECONDS = 1.0
"""Doubled for each further attempt, unless the endpoint specifies a delay."""

MAX_WAIT_SECONDS = 30.0
"""An endpoint that asks for a longer delay is not retried: a run has thousands of questions."""

RETRIED = frozenset({429, 500, 502, 503, 504, 529})
"""Statuses for which a retry may help; some endpoints use 529 for overload."""

MAX_REPLY = 4 * 1024 * 1024
"""Bytes. An answer is one line of JSON."""

MAX_ERROR_TEXT = 200
"""Characters of an endpoint's own message that are shown."""


class EndpointError(PerceptionError):
    """A language model's endpoint that gives no answer: it fails, is too slow, or returns something unexpected."""

    reason = "ENDPOINT_FAILED"


@dataclass(frozen=True, slots=True)
class Prices:
    """Per million tokens, in any currency."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1_000_000


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The model's answer, verbatim, and its cost.

    `estimated`: the endpoint did not count the tokens; they are counted with o200k. `milliseconds`: duration of the
    successful request, without earlier attempts and delays.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    cost: float
    estimated: bool
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address and the model.

    Attributes:
        base_url: up to and without `/chat/completions`: `https://api.openai.com/v1`, `http://127.0.0.1:11434/v1`.
        key_env: name of the environment variable with the key; empty for an endpoint without one.
        timeout_s: to connect, and for an answer, including one that arrives in pieces.
        options: further fields of each request (`temperature`, `max_tokens`, …), as the endpoint expects them.

    Raises:
        BadInputError: the address is invalid, the variable is not set, or a library of the extra is not installed.
    """

    base_url: str
    model: str
    key_env: str = ""
    timeout_s: float = 60.0
    options: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0})

    def __post_init__(self) -> None:
        missing = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]
        if missing:
            raise BadInputError(
                f"asking a language model needs {' and '.join(missing)}: pip install 'perception-service[llm]', "
                "or pip install '.[llm]' in its repository"
            )
        wrong = f"{self.base_url!r} is not an endpoint: give its address up to /v1, with http or https"
        try:
            parts = urllib.parse.urlsplit(self.base_url)
            known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError as exc:
            raise BadInputError(wrong) from exc
        if not known:
            raise BadInputError(wrong)
        if parts.username or parts.password or parts.query or parts.fragment:
            raise BadInputError("an endpoint's address has no user, password or query: a key goes into the environment")
        if not self.model or self.timeout_s <= 0:
            raise BadInputError("an endpoint needs a model's name and a timeout above 0 s")
        read_key(self.key_env)

    @property
    def url(self) -> str:
        return self.base_url.rstrip("/") + "/chat/completions"

    def ask(self, body: bytes, estimate: int, prices: Prices) -> ModelReply:
        """Sends one request, with retries if they may help, and reads the answer.

        Args:
            body: the request as JSON.
            estimate: tokens of the prompt, for an endpoint that does not count them.
            prices: of tokens.

        Raises:
            BadInputError: the endpoint refuses the key or the model.
            EndpointError: it gives no answer.
        """
        return _read_answer(_post(self, body), estimate, prices)


def read_key(key_env: str) -> str:
    """The key from the environment; empty if no variable is named.

    Raises:
        BadInputError: the variable is not set, or contains characters that a header cannot have (the value is not
            shown).
    """
    if not key_env:
        return ""
    key = os.environ.get(key_env, "").strip()
    if not key:
        raise BadInputError(f"no key in ${key_env}: set it, or name no variable for an endpoint that asks for no key")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise BadInputError(f"the key in ${key_env} has spaces or letters that no key has: set it again")
    return key


@dataclass(frozen=True, slots=True)
class _HttpReply:
    """A response. `retry_after`: requested delay in seconds; None if unspecified."""

    status: int
    body: bytes
    retry_after: float | None
    milliseconds: float


class _StatusError(Exception):
    """A response with a status other than 200."""

    def __init__(self, reply: _HttpReply) -> None:
        super().__init__(reply.status)
        self.reply = reply


def _post(endpoint: Endpoint, body: bytes) -> _HttpReply:
    """The first response of status 200, after retries as appropriate."""
    import stamina  # of the extra

    stamina.instrumentation.set_on_retry_hooks(())  # they log to standard output, where the report goes
    attempts = 0
    try:
        for attempt in stamina.retry_context(
            on=_wait_before_retry,
            attempts=ATTEMPTS,
            timeout=None,
            wait_initial=FIRST_WAIT_SECONDS,
            wait_max=MAX_WAIT_SECONDS,
            wait_jitter=0,
        ):
            with attempt:
                attempts = attempt.num
                reply = _post_once(endpoint, body)
                if reply.status != 200:
                    raise _StatusError(reply)
    except _StatusError as exc:
        raise _refusal(endpoint, exc.reply, attempts) from None
    return reply


def _wait_before_retry(error: Exception) -> bool | float:
    """False: a retry does not help. True: it may, after the usual delay. A number: it may, after this many seconds."""
    if not isinstance(error, _StatusError) or error.reply.status not in RETRIED:
        return False
    wait = error.reply.retry_after
    return True if wait is None else wait if 0 <= wait <= MAX_WAIT_SECONDS else False


def _post_once(endpoint: Endpoint, body: bytes) -> _HttpReply:
    import httpx  # of the extra

    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key := read_key(endpoint.key_env):
        headers["Authorization"] = f"Bearer {key}"
    start = time.monotonic()
    try:
        with httpx.stream(
            "POST", endpoint.url, content=body, headers=headers, timeout=endpoint.timeout_s, follow_redirects=False
        ) as response:
            content = _read_body(response, start + endpoint.timeout_s)
            wait = _seconds(response.headers.get("Retry-After"))
            return _HttpReply(response.status_code, content, wait, (time.monotonic() - start) * 1000)
    except (httpx.TimeoutException, TimeoutError) as exc:
        raise EndpointError(
            f"{endpoint.url} gave no answer in {endpoint.timeout_s:g} s: allow more, or ask a faster model"
        ) from exc
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        raise EndpointError(f"{endpoint.url} cannot be asked: {exc}: is it running, and is that its address?") from exc


def _read_body(response: httpx.Response, deadline: float) -> bytes:
    """The whole body. httpx's timeout applies to each piece, so that a slow response needs the deadline."""
    parts, size = [], 0
    for part in response.iter_bytes():
        parts.append(part)
        size += len(part)
        if size > MAX_REPLY:
            raise EndpointError(f"an answer of more than {MAX_REPLY} bytes: this is not a chat endpoint")
        if time.monotonic() > deadline:
            raise TimeoutError
    return b"".join(parts)


def _seconds(header: str | None) -> float | None:
    """A number of seconds; None for a date and for anything else."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None


def count_prompt_tokens(text: str) -> int:
    """o200k tokens of a text, which may have half a surrogate pair in it."""
    return count_tokens(text.encode("utf-8", "replace").decode())


def _refusal(endpoint: Endpoint, reply: _HttpReply, attempts: int) -> PerceptionError:
    """The meaning of a status other than 200 for a user."""
    said = _message_of(reply.body, read_key(endpoint.key_env))
    if reply.status in (401, 403):
        what = f"the key in ${endpoint.key_env}" if endpoint.key_env else "a request without a key: name its variable"
        return BadInputError(f"{endpoint.url} refuses {what} ({reply.status}): {said}")
    if reply.status == 404:
        return BadInputError(f"{endpoint.url} has no model {endpoint.model!r}, or is not a chat endpoint (404): {said}")
    if 300 <= reply.status < 400:
        return BadInputError(f"{endpoint.url} sends elsewhere ({reply.status}): name the address itself")
    times = f" {attempts} times" if attempts > 1 else ""
    return EndpointError(f"{endpoint.url} answered {reply.status}{times}: {said}")


def _message_of(body: bytes, key: str) -> str:
    """An endpoint's own message on one line, without the key in case it contains it."""
    text = body.decode("utf-8", "replace")
    try:
        error = json.loads(text)["error"]
        text = error["message"] if isinstance(error, dict) else str(error)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass  # not in OpenAI's form: the body itself is the message
    text = " ".join(str(text).split())
    return (text.replace(key, "…") if key else text)[:MAX_ERROR_TEXT] or "it does not say why"


def _read_answer(reply: _HttpReply, estimate: int, prices: Prices) -> ModelReply:
    try:
        completion = json.loads(reply.body)
        content = completion["choices"][0]["message"]["content"]
        usage = completion.get("usage")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as exc:
        start = " ".join(reply.body[:MAX_ERROR_TEXT].decode("utf-8", "replace").split())
        raise EndpointError(f"the endpoint answered what is not a chat completion: {start!r}") from exc
    text = _text_of(content)
    counted = _usage_of(usage)
    asked, answer = counted or (estimate, count_prompt_tokens(text))
    return ModelReply(text, asked, answer, prices.of(asked, answer), counted is None, reply.milliseconds)


def _usage_of(usage: object) -> tuple[int, int] | None:
    """Tokens of the prompt and of the answer, as the endpoint counted them; None if it did not."""
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")] if isinstance(usage, dict) else []
    prompt, completion = counts or (None, None)
    if isinstance(prompt, int) and isinstance(completion, int) and min(prompt, completion) >= 0:
        return prompt, completion
    return None


def _text_of(content: object) -> str:
    """The text of a message: a string, or parts of which some are text; empty for a refusal."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
