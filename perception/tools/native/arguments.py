"""What the tools of the default profile take. Descriptions are for the model; each costs tokens in every request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from perception.tools.arguments import Arguments, AsChoice, AsJson, AsList, Seconds, Session, Text, from_json
from perception.tools.target import Target

MAX_STEPS = 20


class InSession(Arguments):
    session: Session = None


class OpenArguments(Arguments):
    url: Text | None = None
    go: Annotated[Literal["back", "forward", "reload"] | None, AsChoice] = None
    """in the history, instead of url"""
    session: Session = None
    """handle; "new" opens another one beside yours"""


class LookArguments(InSession):
    view: Annotated[Literal["full", "interactive", "digest"] | None, AsChoice] = None
    """digest: a line for each region, whose refs are roots"""
    scope: Annotated[Literal["viewport", "page"] | None, AsChoice] = None
    root: Target | None = None
    """ref or selector: only this part, all of it"""
    since: Text | None = None
    """snapshot id, or "last": only what changed since"""
    cursor: Text | None = None
    """of an earlier answer: its next part"""
    max_tokens: Annotated[int | None, Field(ge=0, le=200_000)] = None
    mode: Annotated[Literal["text", "fused", "vision"] | None, AsChoice] = None
    """text: no vision, fastest; vision: pixels only"""


class FindArguments(InSession):
    query: Text | None = None
    """such as: the Save button next to Title"""
    role: Text | None = None
    name: Text | None = None
    text: Text | None = None
    """in its name, text or value"""
    limit: Annotated[int | None, Field(ge=1, le=100)] = None


class FileArgument(Arguments):
    name: Annotated[str, Field(max_length=255)]
    base64: Annotated[str, Field(max_length=15_000_000)]


Do = Literal["click", "hover", "drag", "fill", "type", "press", "select", "check", "uncheck", "scroll", "upload"]

NEEDS = {
    "click": ("target",),
    "hover": ("target",),
    "drag": ("target", "to"),
    "fill": ("target",),
    "press": ("text",),
    "select": ("target", "options"),
    "check": ("target",),
    "uncheck": ("target",),
    "upload": ("target",),
}
"""What a step cannot do without."""

USES = {
    "click": ("target", "button", "count", "modifiers"),
    "hover": ("target",),
    "drag": ("target", "to"),
    "fill": ("target", "text", "secret", "submit"),
    "type": ("target", "text", "secret", "submit"),
    "press": ("target", "text"),
    "select": ("target", "options"),
    "check": ("target",),
    "uncheck": ("target",),
    "scroll": ("target", "dx", "dy"),
    "upload": ("target", "paths", "files"),
}
"""What a step takes; anything else would have no effect, and is refused."""


class Step(Arguments):
    do: Annotated[Do, AsChoice]
    """fill replaces, type adds"""
    target: Target | None = None
    to: Target | None = None
    """where drag ends"""
    text: Text | None = None
    """for fill and type; for press a key such as Control+A"""
    submit: bool | None = None
    """press Enter afterwards"""
    secret: Text | None = None
    """name of a stored secret, instead of text"""
    options: Annotated[list[Text] | None, AsList, Field(max_length=200)] = None
    """for select, by label"""
    dx: Annotated[float | None, Field(ge=-1e6, le=1e6, allow_inf_nan=False)] = None
    dy: Annotated[float | None, Field(ge=-1e6, le=1e6, allow_inf_nan=False)] = None
    """for scroll, CSS px down; without it the target is brought into view"""
    button: Annotated[Literal["left", "right", "middle"] | None, AsChoice] = None
    count: Annotated[int | None, Field(ge=1, le=3)] = None
    """2: double click"""
    modifiers: Annotated[list[Annotated[Literal["alt", "control", "meta", "shift"], AsChoice]] | None, AsList] = None
    paths: Annotated[list[Text] | None, AsList, Field(max_length=100)] = None
    """for upload, in the service's folder; or files"""
    files: Annotated[list[FileArgument] | None, AsList, Field(max_length=100)] = None

    @model_validator(mode="after")
    def _is_whole(self) -> Step:
        given = {name for name in type(self).model_fields if name != "do" and getattr(self, name) is not None}
        for name in NEEDS.get(self.do, ()):
            if name not in given:
                raise ValueError(f"({self.do}) needs {name}")
        if unused := sorted(given - set(USES[self.do])):
            raise ValueError(f"({self.do}) takes {', '.join(USES[self.do])}, and not {', '.join(unused)}")
        if self.do in ("fill", "type") and (self.text is None) == (self.secret is None):
            raise ValueError(f"({self.do}) needs text or secret, one of them")
        if self.do == "upload" and not (self.paths or self.files):
            raise ValueError("(upload) needs files, or paths in the service's upload folder")
        if self.do == "scroll" and self.target is None and not self.dx and not self.dy:
            raise ValueError("(scroll) needs dy in CSS px, or a target to bring into view")
        return self


class ActArguments(InSession):
    steps: Annotated[list[Step], AsList, Field(min_length=1, max_length=MAX_STEPS)]

    @model_validator(mode="before")
    @classmethod
    def _one_step(cls, given: Any) -> Any:
        """One step may be given without the list."""
        given = from_json(given)
        if isinstance(given, Mapping) and "do" in given and "steps" not in given:
            rest = {name: value for name, value in given.items() if name != "session"}
            return {"steps": [rest], "session": given.get("session")}
        return given


class WaitArguments(InSession):
    text: Text | None = None
    element: Target | None = None
    vanished: Target | None = None
    """an element that goes away"""
    url: Text | None = None
    """a glob"""
    seconds: Seconds | None = None
    """at most; 10 by default"""


class ReadArguments(InSession):
    main: bool | None = None
    """only the main content"""
    scope: Text | None = None
    """CSS selector: only this part"""
    cursor: Text | None = None
    """of an earlier answer: its next part"""
    max_tokens: Annotated[int | None, Field(ge=0, le=200_000)] = None


class ScreenshotArguments(InSession):
    annotated: bool | None = None
    """boxes and refs drawn on it"""
    full_page: bool | None = None


class TabsArguments(InSession):
    select: Text | None = None
    """tab id"""
    close: Text | None = None
    """tab id"""


class DialogArguments(InSession):
    accept: bool
    text: Text | None = None
    """for a prompt"""
    id: Text | None = None


class SubroutineArguments(InSession):
    run: Text | None = None
    """its id; without it all are listed"""
    parameters: Annotated[dict[str, Any] | None, AsJson] = None


class CloseArguments(InSession):
    pass


class EvaluateArguments(InSession):
    script: Text
    """an expression, or a function that gets the target's element"""
    target: Target | None = None
    seconds: Seconds | None = None


class AskArguments(Arguments):
    question: Text
