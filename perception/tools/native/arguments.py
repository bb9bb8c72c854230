"""What the tools of the default profile take. Descriptions are for the model; each costs tokens in every request."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from perception.client import choices
from perception.errors import BadInputError
from perception.interaction import steps
from perception.interaction.steps import check_step
from perception.tools.arguments import Arguments, AsChoice, AsJson, AsList, Seconds, Session, Target, Text, from_json

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
    view: Annotated[choices.View | None, AsChoice] = None
    """digest: a line for each region, whose refs are roots"""
    scope: Annotated[choices.Scope | None, AsChoice] = None
    root: Target | None = None
    """ref or selector: only this part, all of it"""
    since: Text | None = None
    """snapshot id, or "last": only what changed since"""
    cursor: Text | None = None
    """of an earlier answer: its next part"""
    max_tokens: Annotated[int | None, Field(ge=0, le=200_000)] = None
    mode: Annotated[choices.Mode | None, AsChoice] = None
    """text: no vision, fastest; vision: pixels only"""
    verify: bool | None = None
    """checks the texts against the pixels"""


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

    def content(self) -> bytes:
        """Raises BadInputError for what is no base64."""
        try:
            return b64decode("".join(self.base64.split()), validate=True)
        except (binascii.Error, ValueError) as exc:
            raise BadInputError(f"the content of {self.name[:80]!r} is no base64", field="files") from exc


Do = Literal["click", "hover", "drag", "fill", "type", "press", "select", "check", "uncheck", "scroll", "upload"]


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
    keystrokes: bool | None = None
    """keys for line ends too"""
    secret: Text | None = None
    """name of a stored secret, instead of text"""
    options: Annotated[list[Text] | None, AsList, Field(max_length=200)] = None
    """for select, by label"""
    dx: Annotated[float | None, Field(ge=-1e6, le=1e6, allow_inf_nan=False)] = None
    dy: Annotated[float | None, Field(ge=-1e6, le=1e6, allow_inf_nan=False)] = None
    """for scroll, CSS px down; without it the target is brought into view"""
    button: Annotated[choices.MouseButton | None, AsChoice] = None
    count: Annotated[int | None, Field(ge=1, le=3)] = None
    """2: double click"""
    modifiers: Annotated[list[Annotated[choices.Modifier, AsChoice]] | None, AsList] = None
    hold: Annotated[float | None, Field(ge=0, le=10, allow_inf_nan=False)] = None
    """s, for click"""
    paths: Annotated[list[Text] | None, AsList, Field(max_length=100)] = None
    """for upload, in the service's folder; or files"""
    files: Annotated[list[FileArgument] | None, AsList, Field(max_length=100)] = None
    drop: bool | None = None
    """for upload: drops them on the target"""

    @model_validator(mode="after")
    def _is_whole(self) -> Step:
        names = [name for name in type(self).model_fields if name != "do"]
        check_step(self.do, {name: value for name in names if (value := getattr(self, name)) is not None})
        return self

    def plain(self) -> steps.Step:
        """The step apart from how it was written. Raises BadInputError for a file that is no base64."""
        return steps.Step(
            self.do,
            self.target,
            self.to,
            text=self.text or "",
            submit=bool(self.submit),
            keystrokes=bool(self.keystrokes),
            secret=self.secret or "",
            options=self.options or (),
            dx=self.dx or 0.0,
            dy=self.dy or 0.0,
            button=self.button,
            count=self.count,
            modifiers=self.modifiers,
            hold=self.hold,
            paths=self.paths or (),
            files={each.name: each.content() for each in self.files or ()},
            drop=bool(self.drop),
        )


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
    new: Text | None = None
    """url, or about:blank"""


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


class DevicesArguments(InSession):
    device: Text | None = None
    """such as iPhone 15"""
    width: Annotated[int | None, Field(ge=1, le=8192)] = None
    height: Annotated[int | None, Field(ge=1, le=8192)] = None
    """CSS px"""
    scale: Annotated[float | None, Field(gt=0, le=8, allow_inf_nan=False)] = None
    mobile: bool | None = None
    """lay pages out as on a phone"""
    touch: bool | None = None
    tap: Target | None = None
    """touch this afterwards"""
    hold: Annotated[float | None, Field(ge=0, le=10, allow_inf_nan=False)] = None
    """seconds, for tap"""
    clipboard: Annotated[Literal["read"] | None, AsChoice] = None
    copy_text: Text | None = None
    """onto the session's clipboard, to be pasted by Control+V"""


class FilesArguments(InSession):
    read: Text | None = None
    """id of a download: its text"""
    offset: Annotated[int | None, Field(ge=0)] = None
    """bytes to skip"""
    print: bool | None = None
    """the page, to a PDF"""
    pages: Text | None = None
    """such as 1-3"""


class StorageArguments(Arguments):
    open: Text | None = None
    """the profile's name; a new one begins empty"""
    read_only: bool = False
    """do not keep what changes"""
    delete: Text | None = None


class PageArguments(InSession):
    name: Text | None = None
    """of a tool; without it the tools are listed"""
    arguments: Annotated[dict[str, Any] | None, AsJson] = None
    seconds: Seconds | None = None


class HumanArguments(InSession):
    reason: Text
    """what they should do"""
    seconds: Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)] | None = None
    """300 by default"""


class EvaluateArguments(InSession):
    script: Text
    """an expression, or a function that gets the target's element"""
    target: Target | None = None
    seconds: Seconds | None = None


class AskArguments(Arguments):
    question: Text


class NetworkArguments(InSession):
    show: Annotated[Literal["requests", "console"] | None, AsChoice] = None
    id: Text | None = None
    """of a request: all of it"""
    url: Text | None = None
    """part of it, or a glob"""
    failed: bool | None = None
    level: Annotated[choices.ConsoleMessageLevel | None, AsChoice] = None
    """of the console: at least"""
    since: Text | None = None
    """id: only what came after it"""
    limit: Annotated[int | None, Field(ge=1, le=500)] = None
