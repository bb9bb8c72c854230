"""Says whether Perception can be installed beside packages that its users have, on each Python.

Resolves each package alone, and with what pyproject.toml requires, by uv; installs nothing. Prints a table, and why a
package cannot be had. A cell is the package's version, `no` where the minor version that it gets alone cannot be had
beside Perception, `–` where it cannot be had alone either, `?` where the resolver did not end in time.
Usage: .venv/bin/python .ci/resolve.py [--python 3.11,3.12,…] [--requirements FILE] [PACKAGE…]
Without packages all of PACKAGES, which takes some minutes. Exit code 1 where there is a `no`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).with_name("uv")
PYTHONS = "3.11,3.12,3.13,3.14"
PACKAGES = """
ag2 anthropic apache-airflow apache-beam[gcp] autogen-agentchat autogen-ext[mcp] boto3 browser-use chromadb crewai
crewai-tools dagster dspy fastapi fastmcp google-adk google-cloud-aiplatform google-cloud-pubsub google-genai gradio
grpcio-tools haystack-ai kfp langchain langchain-google-vertexai langchain-openai langflow langgraph litellm llama-index
mcp mlflow numpy onnx onnxruntime openai openai-agents opencv-python opentelemetry-exporter-otlp opentelemetry-sdk
pandas playwright polars prefect pydantic-ai pymilvus qdrant-client ray[serve] sagemaker scikit-learn scrapy selenium
semantic-kernel sentence-transformers smolagents streamlit temporalio tensorflow torch transformers unstructured vllm
wandb weaviate-client
""".split()
TIMEOUT_S = 300
REASON_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class Answer:
    """What the resolver made of some requirements.

    Attributes:
        version: of the package that was asked for; empty where there is no solution.
        reason: why there is none.
        is_late: there may be one; the resolver did not end in time.
    """

    version: str = ""
    reason: str = ""
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A package on one Python, alone and beside Perception."""

    alone: Answer
    beside: Answer

    @property
    def is_conflict(self) -> bool:
        return bool(self.alone.version) and not self.beside.version and not self.beside.is_late

    @property
    def text(self) -> str:
        if self.alone.is_late or self.beside.is_late:
            return "?"
        return self.beside.version or ("no" if self.alone.version else "–")


def resolve(requirements: list[str], package: str, python: str) -> Answer:
    """Resolves requirements together; wheels of this machine's system are taken where there are any."""
    command = [UV, "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--python-version", python, "-"]
    try:
        done = subprocess.run(
            command, input="\n".join(requirements), capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return Answer(reason=f"no answer within {TIMEOUT_S} s", is_late=True)
    if done.returncode:
        return Answer(reason=" ".join(done.stderr.split())[:REASON_CHARACTERS])
    name = _plain_name(package)
    pins = (line.split("==") for line in done.stdout.splitlines() if "==" in line)
    return Answer(version=next(rest[0].split()[0] for pinned, *rest in pins if _plain_name(pinned) == name))


def look(package: str, python: str, ours: list[str]) -> Cell:
    alone = resolve([package], package, python)
    if not alone.version:
        return Cell(alone, alone)
    minor = ".".join(alone.version.split(".")[:2])  # without a bound, a resolver goes back to releases of years ago
    bound = f"{package}{',' if re.search('[<>=!~]', package) else ''}>={minor}"
    return Cell(alone, resolve([*ours, bound], package, python))


def _plain_name(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", requirement)[0]).lower()


def show(package: str, cells: list[Cell]) -> None:
    print(f"{package:<28}", *(f"{cell.text:<14}" for cell in cells), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=PYTHONS, help=f"versions, default {PYTHONS}")
    parser.add_argument("--requirements", type=Path, default=ROOT / "pyproject.toml", help="another pyproject.toml")
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    options = parser.parse_args()
    pythons = options.python.split(",")
    ours = _requirements_of(options.requirements)
    reasons: dict[str, list[str]] = {}
    conflicts = 0
    print(f"{'package':<28}", *(f"{python:<14}" for python in pythons))
    with ThreadPoolExecutor(2) as pool:
        for package in options.packages:
            cells = list(pool.map(lambda python, package=package: look(package, python, ours), pythons))
            show(package, cells)
            conflicts += sum(cell.is_conflict for cell in cells)
            for python, cell in zip(pythons, cells, strict=True):
                if cell.beside.reason:
                    whose = "beside Perception" if cell.is_conflict else "alone"
                    reasons.setdefault(f"{package}, {whose}: {cell.beside.reason}", []).append(python)
    for reason, where in reasons.items():
        print(f"\n{', '.join(where)}: {reason}")
    return int(conflicts > 0)


def _requirements_of(project: Path) -> list[str]:
    return list(tomllib.loads(project.read_text("utf-8"))["project"]["dependencies"])


if __name__ == "__main__":
    sys.exit(main())
