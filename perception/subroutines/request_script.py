"""Generates the part of a script that sends a request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from perception.subroutines.answer_shape import expected_shape
from perception.subroutines.javascript import field_variable, in_template, js_text, write_js
from perception.subroutines.parameter import Parameter
from perception.subroutines.ranking import MUTATING
from perception.subroutines.request_template import Given, PageToken, Recipe
from perception.subroutines.success import SuccessCondition


def request_lines(recipe: Recipe, parameters: Sequence[Parameter], success: SuccessCondition) -> list[str]:
    """The statements that send a request and confirm its effect."""
    names = {token: f"token{index or ''}" for index, token in enumerate(recipe.tokens)}
    signs = {} if success.is_answered or recipe.method not in MUTATING else success.script
    lines = [f"await goto({recipe.page_code or js_text(recipe.page)});"] if recipe.needs_page or signs else []
    for token, name in names.items():
        lines.append(f"const {name} = {_reading(token)};")
    for each in recipe.page_fields:
        lines.append(f"const {field_variable(each)} = await readField({js_text(each.name)});")
    if recipe.form is not None:
        lines.append(f"const fields = await readForm({_form_wanted(recipe, names, parameters)});")
    options: dict[str, Any] = {}
    if recipe.headers:
        options["headers"] = dict(recipe.headers)
    if recipe.kind == "json":
        options["json"] = recipe.json
    elif recipe.form is not None:
        options["formData" if recipe.kind == "formdata" else "form"] = Given("", code="fields")
    elif recipe.kind == "formdata" or recipe.fields:
        options["formData" if recipe.kind == "formdata" else "form"] = [list(pair) for pair in recipe.fields]
    if recipe.style:
        options["style"] = recipe.style
    options["expect"] = {"status": recipe.status} | ({"location": recipe.location} if recipe.location else {})
    if success.answer:
        options["expect"]["answer"] = expected_shape(success.answer)
    call = f"request({js_text(recipe.method)}, {_path(recipe, names)}, {write_js(options, names, 0)})"
    if not signs:
        return [*lines, f"return {call};"]
    page = Given("", code=recipe.page_code) if recipe.page_code else recipe.page
    confirm = f"await confirm({write_js({**signs, 'page': page}, None, 0)});"
    return [*lines, f"const answer = await {call};", confirm, "return answer;"]


def _form_wanted(recipe: Recipe, names: dict[PageToken, str], parameters: Sequence[Parameter]) -> str:
    """The argument of `readForm`: the form's controls, and what is entered in them."""
    form = recipe.form
    assert form is not None
    switches = {step: each.name for each in parameters if each.type == "boolean" for step in each.steps}
    checks = [
        [name, value, Given(switches[step], "boolean") if step in switches else state]
        for name, value, state, step in form.checks
    ]
    wanted: dict[str, Any] = {"names": list(form.names), "fields": [list(recipe.fields[each]) for each in form.entered]}
    more = {"checks": checks, "submit": list(form.submit), "lines": form.lines, "multipart": recipe.kind == "formdata"}
    return write_js(wanted | {key: value for key, value in more.items() if value}, names)


def _reading(token: PageToken) -> str:
    if token.kind == "decoded cookie":
        return f"decodeURIComponent(await getCookie({js_text(token.name)}))"
    if token.kind == "cookie":
        return f"await getCookie({js_text(token.name)})"
    return f"await getCsrfToken({write_js({token.kind: token.name})})"


def _path(recipe: Recipe, names: dict[PageToken, str]) -> str:
    def part(value: Any) -> str:
        if isinstance(value, Given | PageToken):
            return f"${{encodeURIComponent({write_js(value, names)})}}"
        return in_template(value if "%" in str(value) else quote(str(value), safe="-_.~!*'()@:,+=$;«»"))

    path = "/" + "/".join(part(each) for each in recipe.path)
    query = "&".join(f"{in_template(quote(key))}={part(value)}" for key, value in recipe.query)
    return f"`{path}{'?' + query if query else ''}`"
