"""Makes what the TypeScript client lists of the contract: src/services.ts, a stub for each service, and src/v1.ts, the
modules of the wire.

Methods of its classes are written by hand: those that follow a rule take fewer lines than their generator would.
Usage: .venv/bin/python .ci/node_services.py DESCRIPTOR_SET FOLDER
"""

import sys
from pathlib import Path

from client_table import STUBS
from google.protobuf.descriptor_pb2 import FileDescriptorSet

V1 = "// The messages, enums and services of proto/perception/v1, as they are on the wire. Made from it by .ci/stubs.\n"

SERVICES = """// The stubs of all services. Made from proto/ by .ci/stubs.
{imports}
import {{ type Channel, type Stub, stub }} from './rpc.js';

/** The stubs of all services: a method for each rpc. */
export interface Services {{
{fields}
}}

/** @internal The stubs over a channel. */
export function services(channel: Channel): Services {{
  return {{
{stubs}
  }};
}}
"""


def _attribute(service: str) -> str:
    """`pageTools` of `PageToolService`: the name in the Python client, written as in TypeScript."""
    name = service.removesuffix("Service")
    attribute = next((each for each, of in STUBS.items() if of == name), f"{name.lower()}s")
    first, *others = attribute.split("_")
    return first + "".join(map(str.title, others))


def main(descriptors: Path, folder: Path) -> None:
    files = FileDescriptorSet.FromString(descriptors.read_bytes()).file
    modules = {each.name.removesuffix(".proto"): each for each in files if each.package == "perception.v1"}
    names = sorted((path, each.name) for path, file in modules.items() for each in file.service)
    exports = sorted(path for path, file in modules.items() if not file.extension)
    (folder / "v1.ts").write_text(V1 + "".join(f"export * from './generated/{each}_pb.js';\n" for each in exports))
    lists = {
        "imports": [f"import {{ {name} }} from './generated/{path}_pb.js';" for path, name in names],
        "fields": [f"  readonly {_attribute(name)}: Stub<typeof {name}>;" for _, name in names],
        "stubs": [f"    {_attribute(name)}: stub({name}, channel)," for _, name in names],
    }
    text = SERVICES.format(**{key: "\n".join(lines) for key, lines in lists.items()})
    (folder / "services.ts").write_text(text, "utf-8")


main(Path(sys.argv[1]), Path(sys.argv[2]))
