"""What these tools take, by the names of Playwright MCP. `ref`, as earlier versions called it, is taken for `target`.

Left out are parameters that write files (`filename`) and those that nothing here could honour: they are refused.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, Field, WithJsonSchema

from perception.tools.arguments import Arguments, AsChoice, AsList, Target, Text
from perception.tools.native.arguments import MAX_STEPS

TargetField = Annotated[Target, Field(validation_alias=AliasChoices("target", "ref"))]
Described = Annotated[Text | None, WithJsonSchema({"type": "string"})]
"""What a target is, in words: for the host's permission dialog, and without effect here."""


class Nothing(Arguments):
    pass


class Navigate(Arguments):
    url: Text


class Snapshot(Arguments):
    target: Annotated[Target | None, Field(validation_alias=AliasChoices("target", "ref"))] = None
    """only this part"""
    boxes: bool | None = None
    cursor: Text | None = None
    """of an earlier answer: its next part"""


class OnElement(Arguments):
    target: TargetField
    """ref of the snapshot (e5, v3) or unique selector"""
    element: Described = None
    """what it is, in words"""


class Click(OnElement):
    double_click: Annotated[bool | None, Field(alias="doubleClick")] = None
    button: Annotated[Literal["left", "right", "middle"] | None, AsChoice] = None
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


class FillForm(Arguments):
    fields: Annotated[list[FormField], AsList, Field(min_length=1, max_length=MAX_STEPS)]


class SelectOption(OnElement):
    values: Annotated[list[Text], AsList, Field(min_length=1, max_length=200)]


class PressKey(Arguments):
    key: Text
    """such as ArrowLeft, a or Control+A"""


class Drag(Arguments):
    start_target: Annotated[Target, Field(validation_alias=AliasChoices("startTarget", "startRef"))]
    end_target: Annotated[Target, Field(validation_alias=AliasChoices("endTarget", "endRef"))]
    start_element: Annotated[Described, Field(alias="startElement")] = None
    end_element: Annotated[Described, Field(alias="endElement")] = None


class FileUpload(Arguments):
    paths: Annotated[list[Text], AsList, Field(min_length=1, max_length=100)]
    """names in the service's upload folder"""
    target: Annotated[Target | None, Field(validation_alias=AliasChoices("target", "ref"))] = None
    """the file field, where there are several"""


class HandleDialog(Arguments):
    accept: bool
    prompt_text: Annotated[Text | None, Field(alias="promptText")] = None


class WaitFor(Arguments):
    time: Annotated[float | None, Field(gt=0, le=30, allow_inf_nan=False)] = None
    """seconds; with text or textGone the longest wait"""
    text: Text | None = None
    text_gone: Annotated[Text | None, Field(alias="textGone")] = None


class Evaluate(Arguments):
    function: Text
    """() => {...}, or (element) => {...} with a target"""
    target: Annotated[Target | None, Field(validation_alias=AliasChoices("target", "ref"))] = None
    element: Described = None


class TakeScreenshot(Arguments):
    type: Annotated[Literal["png", "jpeg"] | None, AsChoice] = None
    full_page: Annotated[bool | None, Field(alias="fullPage")] = None


class Tabs(Arguments):
    action: Annotated[Literal["list", "new", "close", "select"], AsChoice]
    index: Annotated[int | None, Field(ge=0, le=1000)] = None
    url: Text | None = None
    """for new"""


class Resize(Arguments):
    width: Annotated[int, Field(ge=1, le=10_000)]
    height: Annotated[int, Field(ge=1, le=10_000)]


class ConsoleMessages(Arguments):
    pass


class NetworkRequests(Arguments):
    static: bool | None = None
    """also images, fonts, scripts and style sheets"""


class Find(Arguments):
    text: Text
    """in names, texts and values, or a description of the element"""
    max_results: Annotated[int | None, Field(alias="maxResults", ge=1, le=100)] = None
