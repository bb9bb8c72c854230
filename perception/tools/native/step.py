"""A step of `act`: what a model writes for it. Descriptions are for the model; each costs tokens in every request."""

from __future__ import annotations

import binascii
from base64 import b64decode
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from perception.client import choices
from perception.errors import BadInputError
from perception.interaction.step import Step as PlainStep
from perception.interaction.steps import check_step
from perception.interaction.verbs import VERBS
from perception.tools.arguments import Arguments, AsChoice, AsList, Target, Text

MAX_STEPS = 20


class FileArgument(Arguments):
    name: Annotated[str, Field(max_length=255)]
    base64: Annotated[str, Field(max_length=15_000_000)]

    def content(self) -> bytes:
        """Raises BadInputError for what is not base64."""
        try:
            return b64decode("".join(self.base64.split()), validate=True)
        except (binascii.Error, ValueError) as exc:
            raise BadInputError(
                f"the content of {self.name[:80]!r} is not base64: encode the file's bytes", field="files"
            ) from exc


if TYPE_CHECKING:
    Do = str
else:
    Do = Literal[*(each.name for each in VERBS if each.is_step)]


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

    def plain(self) -> PlainStep:
        """The step apart from how it was written. Raises BadInputError for a file that is not base64."""
        return PlainStep(
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
