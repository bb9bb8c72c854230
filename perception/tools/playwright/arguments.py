"""What these tools take, by the names of Playwright MCP. `ref`, as earlier versions called it, is taken for `target`.

Left out are parameters that write files (`filename`) and those that nothing here could honor: they are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field, WithJsonSchema, model_validator
from pydantic.fields import FieldInfo

from perception.client import choices
from perception.tools.arguments import Arguments, AsChoice, AsList, Target, Text
from perception.tools.native.step import MAX_STEPS

TargetField = Annotated[Target, Field(validation_alias=AliasChoices("target", "ref"))]
Described = Annotated[Text | None, WithJsonSchema({"type": "string"})]
"""What a target is, in words: for the host's permission dialog, and without effect here."""


class PlaywrightArguments(Arguments):
    """What these tools take. An optional text that is empty is left out, as some models write it so."""

    @model_validator(mode="before")
    @classmethod
    def _without_empty_texts(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        needed = {name for field in cls.model_fields.values() if field.is_required() for name in _names_of(field)}
        needed |= {name for name, field in cls.model_fields.items() if field.is_required()}
        return {name: value for name, value in given.items() if value != "" or name in needed}


def _names_of(field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    return [str(each) for each in alias.choices] if isinstance(alias, AliasChoices) else [str(alias)] if alias else []


class Nothing(PlaywrightArguments):
    pass


class Navigate(PlaywrightArguments):
    url: Text


class Snapshot(PlaywrightArguments):
    target: Annotated[Target | None, Field(validation_alias=AliasChoices("target", "ref"))] = None
    """only this part"""
    boxes: bool | None = None
    cursor: Text | None = None
    """of an earlier answer: its next part"""


class OnElement(PlaywrightArguments):
    target: TargetField
    """ref of the snapshot (e5, v3) or unique selector"""
    element: Described = None
    """what it is, in words"""


class Click(OnElement):
    double_click: Annotated[bool | None, Field(alias="doubleClick")] = None
    button: Annotated[choices.MouseButton | None, AsChoice] = None
    modifiers: Annotated[
        list[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None, AsList, Field(max_length=5)
    ] = None


class Type(OnElement):
    text: Text
    submit: bool | None = None
    slowly: bool | None = None
    """key by key"""


class FormField(OnElement):
    name: Described = None
    type: Annotated[Literal["textbox", "checkbox", "radio", "combobox", "slider"], AsChoice]
    value: Text
    """true or false for a checkbox, the option's text for a combobox"""


class FillForm(PlaywrightArguments):
    fields: Annotated[list[FormField], AsList, Field(min_length=1, max_length=MAX_STEPS)]


class SelectOption(OnElement):
    values: Annotated[list[Text], AsList, Field(min_length=1, max_length=200)]


class PressKey(PlaywrightArguments):
    key: Text
    """such as ArrowLeft, a or Control+A"""


class Drag(PlaywrightArguments):
    start_target: Annotated[Target, Field(validation_alias=AliasChoices("startTarget", "startRef"))]
    end_target: Annotated[Target, Field(validation_alias=AliasChoices("endTarget", "endRef"))]
    start_element: Annotated[Described, Field(alias="startElement")] = None
    end_element: Annotated[Described, Field(alias="endElement")] = None


class FileUpload(PlaywrightArguments):
    paths: Annotated[list[Text], AsList, Field(min_length=1, max_length=100)]
    """names in the service's upload folder"""
    target: Annotated[Target | None, Field(validation_alias=AliasChoices("target", "ref"))] = None
    """the file field, where there are several"""


class Drop(OnElement):
    paths: Annotated[list[Text] | None, AsList, Field(max_length=100)] = None
    """names in the service's upload folder"""
    data: dict[Text, str] | None = None
    """texts by MIME type; paths, data or both"""


class HandleDialog(PlaywrightArguments):
    accept: bool
    prompt_text: Annotated[Text | None, Field(alias="promptText")] = None


class WaitFor(PlaywrightArguments):
    time: Annotated[float | None, Field(gt=0, le=30, allow_inf_nan=False)] = None
    """seconds; with text or textGone the longest wait"""
    text: Text | None = None
    text_gone: Annotated[Text | None, Field(alias="textGone")] = None


class Evaluate(PlaywrightArguments):
    function: Text
    """() => {...}, or (element) => {...} with a target"""
    target: Annotated[Target | None, Field(validation_alias=AliasChoices("target", "ref"))] = None
    element: Described = None


class TakeScreenshot(PlaywrightArguments):
    type: Annotated[Literal["png", "jpeg"] | None, AsChoice] = None
    target: Annotated[Target | None, Field(validation_alias=AliasChoices("target", "ref"))] = None
    """only this element"""
    element: Described = None
    full_page: Annotated[bool | None, Field(alias="fullPage")] = None


class Tabs(PlaywrightArguments):
    action: Annotated[Literal["list", "new", "close", "select"], AsChoice]
    index: Annotated[int | None, Field(ge=0, le=1000)] = None
    url: Text | None = None
    """for new"""


class Resize(PlaywrightArguments):
    width: Annotated[int, Field(ge=1, le=10_000)]
    height: Annotated[int, Field(ge=1, le=10_000)]


class ConsoleMessages(PlaywrightArguments):
    level: Annotated[Literal["error", "warning", "info", "debug"] | None, AsChoice] = None
    """this and more serious ones; info by default"""
    all: bool | None = None
    """also of earlier pages"""


class NetworkRequests(PlaywrightArguments):
    static: bool | None = None
    """also images, fonts, scripts and style sheets"""
    filter: Text | None = None
    """regular expression for the URL"""


class NetworkRequest(PlaywrightArguments):
    index: Text
    """number in the list: r5 or 5"""


class Find(PlaywrightArguments):
    text: Text
    """in names, texts and values, /a regular expression/i, or a description of the element"""
    max_results: Annotated[int | None, Field(alias="maxResults", ge=1, le=100)] = None
