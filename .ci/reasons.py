"""Makes the TypeScript client's list of reasons from the classes of perception.errors. Usage: .ci/reasons.py TARGET"""

import sys
from pathlib import Path

from perception import errors

KINDS = {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.PerceptionError)}

if __name__ == "__main__":
    lines = (f"\n  | '{reason}'" for reason in sorted({kind.reason for kind in KINDS}))
    note = "// Why a call was refused: the reasons of perception/errors, from which .ci/stubs makes this file."
    Path(sys.argv[1]).write_text(f"{note}\nexport type Reason ={''.join(lines)};\n", "utf-8")
