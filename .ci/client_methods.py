"""Makes what the client's methods and the steps of a batch have in common with the contract: _async/stubs.py, rpcs.py,
actions.py and the like, and action_steps.py, in perception/client.

A method is made where it asks for the fields of a request and answers what the response has: .ci/client_table.py names
it. What has a form of its own in Python is written by hand beside these.

Usage: .venv/bin/python .ci/client_methods.py DESCRIPTOR_SET FOLDER
"""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from client_fields import KINDS, short_names
from client_table import ACTIONS, CLIENT, SESSION, STUBS, SUBROUTINES
from contract_words import ALIASES, Contract, alias_of, type_of, type_of_field, type_of_one
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor

ROOT = Path(__file__).parents[1]

MADE = "Made from proto/ by .ci/client_methods.py. Not to be edited."

OF_EVERY_ACTION = {"session_id", "tab_id", "request_id", "action_options"}
WIDTH = 120


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a method.

    Attributes:
        kind: its type, as it is written.
        default: as it is written; None where it has to be given.
        field: of the request.
        mark: `*` of one that takes all that is given by position, `**` of options that are its keywords.
        by_keyword: it is given by keyword alone.
    """

    name: str
    kind: str
    default: str | None
    field: FieldDescriptor
    mark: str = ""
    by_keyword: bool = False

    @property
    def written(self) -> str:
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.mark}{self.name}: {self.kind}{default}"


@dataclass(frozen=True)
class Method:
    """A method of the client that is an rpc.

    Attributes:
        given: what it takes, as the table has it.
        rpc: what it calls.
        returns: field of the response that it answers; empty for all of it, None for nothing.
    """

    name: str
    given: ast.arguments
    rpc: MethodDescriptor
    returns: str | None
    contract: Contract

    @classmethod
    def of(cls, signature: str, answer: str, contract: Contract) -> Method:
        parsed = ast.parse(f"def {signature}: ...").body[0]
        assert isinstance(parsed, ast.FunctionDef)
        name, _, field = answer.partition(" -> ")
        rpc = contract.rpc(name)
        returns = _answered(rpc.output_type) if not field else "" if field == "reply" else field
        return cls(parsed.name, parsed.args, rpc, returns, contract)

    @cached_property
    def fields(self) -> Mapping[str, FieldDescriptor]:
        return self.rpc.input_type.fields_by_name

    @cached_property
    def is_action(self) -> bool:
        return "action_options" in self.fields

    @cached_property
    def parameters(self) -> list[Parameter]:
        """Those of the table, then the other fields by keyword, those that are themselves keywords last."""
        given = self.given
        defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults
        named = [self._parameter(arg, default) for arg, default in zip(given.args, defaults, strict=True)]
        if given.vararg:
            named.append(self._parameter(given.vararg, None, mark="*"))
        pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        named += [self._parameter(arg, default, by_keyword=True) for arg, default in pairs]
        taken = {each.field.name for each in named} | (OF_EVERY_ACTION if self.is_action else {"session_id"})
        others = [_by_rule(field) for field in self.fields.values() if field.name not in taken]
        return sorted([*named, *others], key=lambda each: each.mark == "**")

    def _parameter(
        self, arg: ast.arg, default: ast.expr | None, *, mark: str = "", by_keyword: bool = False
    ) -> Parameter:
        noted = arg.annotation
        field = self.fields[noted.id.rstrip("_") if isinstance(noted, ast.Name) else arg.arg]
        kind = (
            str(noted.value)
            if isinstance(noted, ast.Constant)
            else type_of_one(field)
            if mark
            else type_of_field(field)
        )
        written = None if default is None else ast.unparse(default).replace("'", '"')
        if written == "None" and "None" not in kind:
            kind = f"{kind} | None"
        return Parameter(arg.arg, kind, written, field, mark, by_keyword)

    def signature(self, first: list[str], last: list[str]) -> str:
        """What stands in the parentheses: the method's own parameters between the first and the last ones."""
        own = self.parameters
        by_place = [*first, *(each.written for each in own if not each.by_keyword and each.mark != "**")]
        keywords = [each.written for each in own if each.by_keyword]
        keywords += [each for each in last if not each.startswith("**")]
        options = [each.written for each in own if each.mark == "**"] + [each for each in last if each.startswith("**")]
        star = ["*"] if keywords and not any(each.mark == "*" for each in own) else []
        return ", ".join([*by_place, *star, *keywords, *options])

    @property
    def given_fields(self) -> str:
        """The fields of the request that are parameters, as a dict."""
        return ", ".join(f'"{each.field.name}": {self._value(each)}' for each in self.parameters)

    def _value(self, parameter: Parameter) -> str:
        if parameter.mark != "**":
            return parameter.name
        return f"message_of({type_of(parameter.field.message_type)}, {parameter.name})"

    @cached_property
    def result(self) -> tuple[str, str]:
        """The type of what it answers, and how it comes from `reply`."""
        if self.returns is None:
            return "None", ""
        if not self.returns:
            return type_of(self.rpc.output_type), "reply"
        field = self.rpc.output_type.fields_by_name[self.returns]
        kind = type_of(field.message_type) if field.message_type else type_of_one(field)
        return (f"list[{kind}]", f"list(reply.{field.name})") if field.is_repeated else (kind, f"reply.{field.name}")

    def docstring(self) -> str:
        """What it does, and what it takes, in the words of the contract."""
        words = self.contract.words_of(self.rpc.full_name)
        if not words:
            raise SystemExit(f"{self.rpc.full_name} has no comment in proto/: what its method does stands there")
        does = textwrap.fill(words, WIDTH, initial_indent=f'{" " * 8}"""', subsequent_indent=" " * 8).lstrip()
        takes = [(each.name, self._words(each)) for each in self.parameters]
        lines = [
            textwrap.fill(f"{name}: {words}", WIDTH, initial_indent=" " * 12, subsequent_indent=" " * 16)
            for name, words in takes
            if words
        ]
        return "\n".join([does, "", f"{' ' * 8}Args:", *lines, f'{" " * 8}"""']) if lines else f'{does}"""'

    def _words(self, parameter: Parameter) -> str:
        """Of one parameter: what it takes, then the comment of its field."""
        field, words = parameter.field, self.contract.words_of(parameter.field.full_name)
        if words.startswith(("As of", "As in")):
            words = ""
        if parameter.mark == "**":
            fields = ", ".join(f"`{each.name}`" for each in field.message_type.fields)
            return f"of {field.message_type.name}: {fields}."
        if field.name == "tab_id":
            return words or ("the selected tab when empty." if parameter.default else "")
        takes = self._choices(field) if field.enum_type else TAKES.get(getattr(field.message_type, "name", ""), "")
        lower = words if words[:2].isupper() else words[:1].lower() + words[1:]
        return f"{takes} {words}".strip() if takes else lower

    def _choices(self, field: FieldDescriptor) -> str:
        """`left`, `right` or `middle`; `left` when None."""
        enum = field.enum_type
        unset = self.contract.words_of(f"{enum.full_name}.{enum.values_by_number[0].name}")
        default = next(
            (f"; `{each}` when None" for each in short_names(enum) if unset.lower().endswith(f"_{each}.")), ""
        )
        return f"{', '.join(f'`{each}`' for each in short_names(enum))}{default}."


TAKES = {"Duration": "Seconds.", "Target": "A ref, role and name, selector, point, or element."}
"""What parameters of these messages take, for their docstrings."""


def _answered(response: Descriptor) -> str | None:
    """The field of a response that a method answers: the only one, or the first if that is a message; else all."""
    fields = list(response.fields)
    if not fields:
        return None
    return fields[0].name if len(fields) == 1 or fields[0].message_type is not None else ""


def _by_rule(field: FieldDescriptor) -> Parameter:
    """A field that the table does not name, by keyword."""
    if (message := field.message_type) is not None:
        for name, (of, *_) in KINDS.items():
            if message.name == of:
                return Parameter(field.name, f"Unpack[{name}]", None, field, mark="**")
    kind = type_of_field(field)
    is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
    if field.is_repeated and not is_map:
        return Parameter(field.name, kind, "()", field, by_keyword=True)
    if field.has_presence or field.enum_type is not None or is_map:
        return Parameter(field.name, f"{kind} | None", "None", field, by_keyword=True)
    default = {"str": '""', "bool": "False", "bytes": 'b""'}.get(kind, "0")
    return Parameter(field.name, kind, default, field, by_keyword=True)


def _rpc_method(method: Method, calls: str, stub: str) -> Iterator[str]:
    """A method whose request is what it takes."""
    kind, answer = method.result
    request = type_of(method.rpc.input_type)
    session = ['"session_id": self.session_id'] if "session_id" in method.fields else []
    fields = ", ".join(filter(None, [*session, method.given_fields]))
    yield f"    async def {method.name}({method.signature(['self'], ['timeout_s: float | None = None'])}) -> {kind}:"
    yield f"        {method.docstring()}"
    yield f"        request = message_of({request}, {{{fields}}})"
    call = f"await {calls}({stub}.{method.rpc.name}, request, timeout_s)"
    if kind == "None":
        yield f"        {call}\n"
        return
    yield f"        reply: {type_of(method.rpc.output_type)} = {call}"
    yield f"        return {answer}\n"


def _action_method(method: Method) -> Iterator[str]:
    last = ["timeout_s: float | None = None", "**action: Unpack[ActionFields]"]
    yield f"    async def {method.name}({method.signature(['self'], last)}) -> {method.result[0]}:"
    yield f"        {method.docstring()}"
    yield f'        return await self._act("{method.rpc.name}", {{{method.given_fields}}}, timeout_s, action)\n'


def _step(method: Method, steps: Mapping[str, str]) -> Iterator[str]:
    request = method.rpc.input_type
    yield f"def {method.name}({method.signature([], ['**step: Unpack[StepFields]'])}) -> action_pb.BatchStep:"
    yield f'    return step_of("{steps[request.full_name]}", {type_of(request)}, {{{method.given_fields}}}, step)\n\n'


IMPORTS = """from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Unpack

from perception.client._async.calls import AsyncCalls
from perception.client._async.session import AsyncSession
from perception.client.fields import {fields}
from perception.client.message_fields import TargetLike, message_of
from perception.client.requests import step_of
from perception.v1 import types_pb2 as pb
{modules}
"""
"""What made modules may import; what one does not use is taken out."""


def _module_of(head: str, lines: list[str]) -> str:
    names = sorted(path.stem for path in (ROOT / "proto/perception/v1").glob("*_service.proto"))
    modules = "\n".join(f"from perception.v1 import {name}_pb2 as {alias_of(name)}" for name in names)
    fields = ", ".join([*KINDS, *ALIASES, "StepFields"])
    return f'"""{head}\n\n{MADE}\n"""\n\n{IMPORTS.format(modules=modules, fields=fields)}\n\n' + "\n".join(lines)


def _class(head: str, table: Mapping[str, str], contract: Contract, calls: str, stub: str = "") -> list[str]:
    methods = [Method.of(signature, answer, contract) for signature, answer in table.items()]
    lines = [head]
    for each in methods:
        service = each.rpc.containing_service.name.removesuffix("Service")
        attribute = next((name for name, of in STUBS.items() if of == service), "")
        lines += _rpc_method(each, f"{calls}.call", stub or f"{calls}.{attribute}")
    return lines


STUB = """
    @cached_property
    def {attribute}(self) -> {name}ServiceAsyncStub:
        from perception.v1.{module}_service_pb2_grpc import {name}ServiceStub

        return {name}ServiceStub(self.channel)
"""

STUBS_HEAD = f'''"""The stubs of the services.

{MADE}
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from perception.client.access import AsyncChannel

if TYPE_CHECKING:
{{imports}}

class AsyncStubs:
    """The stubs of a channel. Each is loaded when it is used first: one call waits for one only."""

    channel: AsyncChannel
'''


def _stubs() -> str:
    """The module of the stubs of a channel."""
    imports = "".join(
        f"    from perception.v1.{_snake(name)}_service_pb2_grpc import {name}ServiceAsyncStub\n"
        for name in sorted(STUBS.values())
    )
    made = [STUB.format(attribute=key, name=name, module=_snake(name)) for key, name in STUBS.items()]
    return STUBS_HEAD.format(imports=imports) + "".join(made)


def _snake(name: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name).lstrip("_")


SESSION_HEAD = """class AsyncSessionRpcs:
    \"""Calls of a session that are their requests.\"""

    _client: AsyncCalls
    session_id: str
"""

CLIENT_HEAD = """class AsyncClientRpcs(AsyncCalls):
    \"""Calls of a client that are their requests.\"""
"""

SUBROUTINES_HEAD = """class AsyncSubroutineRpcs:
    \"""Calls of the SubroutineService that are their requests.\"""

    _client: AsyncCalls
    stub: Any
"""

ACTIONS_HEAD = """class AsyncActions(AsyncSession):
    \"""A session whose pages are acted on with real input.\"""
"""


def _texts(contract: Contract) -> dict[str, str]:
    """The modules by their paths in perception/client."""
    actions = [Method.of(signature, answer, contract) for signature, answer in ACTIONS.items()]
    session = _class(SESSION_HEAD, SESSION, contract, "self._client")
    client = _class(CLIENT_HEAD, CLIENT, contract, "self")
    subroutines = _class(SUBROUTINES_HEAD, SUBROUTINES, contract, "self._client", "self.stub")
    acts = [ACTIONS_HEAD, *(line for each in actions for line in _action_method(each))]
    names = ", ".join(f'"{each.name}"' for each in sorted(actions, key=lambda each: each.name))
    steps = [f"__all__ = [{names}]\n\n", *(line for each in actions for line in _step(each, contract.steps()))]
    return {
        "_async/stubs.py": _stubs(),
        "_async/session_rpcs.py": _module_of("Calls of a session that are their requests.", session),
        "_async/client_rpcs.py": _module_of("Calls of a client that are their requests.", client),
        "_async/subroutine_rpcs.py": _module_of("Calls about subroutines that are their requests.", subroutines),
        "_async/actions.py": _module_of("The actions of a page that are their requests.", acts),
        "action_steps.py": _module_of("The steps of a batch that are actions.", steps),
    }


def main(descriptors: Path, folder: Path) -> None:
    made = _texts(Contract(descriptors))
    (folder / "_async").mkdir(exist_ok=True)
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")
    paths = [str(folder / name) for name in made]
    ruff = [sys.executable, "-m", "ruff"]
    config = ["--quiet", "--no-cache", "--config", str(ROOT / "pyproject.toml")]
    subprocess.run([*ruff, "check", "--select", "F401,I", "--fix", *config, *paths], check=True)
    subprocess.run([*ruff, "format", *config, *paths], check=True)


main(Path(sys.argv[1]), Path(sys.argv[2]))
