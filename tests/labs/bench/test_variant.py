"""Variants as files: read, refused with a line that helps, and distinguished by every field."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from perception.bench.rivals.matchers import match_as_omniparser, match_as_ufo2
from perception.bench.variant import EpisodePolicy, Variant, load_variant, shipped_variants
from perception.datasets.sources.build import digest_of
from perception.detectors.registry import Registry
from perception.errors import BadInputError
from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.types import Mode, Opaque, Scope, TextStyle, View

WHOLE = """
name = "careful"   # what it is called in tables
mode = "vision"
detectors = ["controls"]
view = "interactive"
scope = "page"
max_tokens = 900
policy = "players"

[fusion]
look_at = ["canvas", "svg"]
nameless_padding = 2.5
same_box = 0.6
largest_control = [300, 80]
min_score = 0.25
rule = "perception.bench.rivals.matchers:match_as_omniparser"
"""

CAREFUL = Variant(
    "careful",
    Mode.VISION,
    ("controls",),
    View.INTERACTIVE,
    Scope.PAGE,
    900,
    FusionParameters((Opaque.CANVAS, Opaque.SVG), 2.5, 0.6, (300, 80), 0.25, match_as_omniparser),
    policy=EpisodePolicy.PLAYERS,
)


def written(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


def test_a_file_says_every_part_of_a_variant(tmp_path: Path) -> None:
    assert load_variant(written(tmp_path, WHOLE)) == CAREFUL


def test_what_a_file_leaves_out_is_what_the_service_does(tmp_path: Path) -> None:
    assert load_variant(written(tmp_path, 'name = "a"\nmode = "fused"')) == replace(load_variant("fused"), name="a")


def test_names_load_the_variants_that_come_with_the_package() -> None:
    assert shipped_variants() == [
        "digest",
        "fused",
        "fused-omniparser",
        "fused-ufo2",
        "interactive",
        "interactive-compact",
        "page",
        "page-compact",
        "text",
        "vision",
    ]
    assert [load_variant(name).name for name in shipped_variants()] == shipped_variants()
    assert {load_variant(name).mode for name in shipped_variants()} == set(Mode)
    assert load_variant("fused").fusion == DEFAULTS


def test_a_variant_that_names_no_detectors_asks_those_that_are_enabled_by_default() -> None:
    registry = Registry.load()
    assert (
        load_variant("fused").snapshot_options(registry).detectors
        == registry.defaults()
        == ("controls", "icons", "ppocr")
    )
    options = CAREFUL.snapshot_options(registry)
    assert (options.detectors, options.mode, options.scope, options.view) == (
        ("controls",),
        Mode.VISION,
        Scope.PAGE,
        CAREFUL.view,
    )
    assert (options.max_tokens, options.fusion) == (900, CAREFUL.fusion)


FUSION = {
    "look_at": (Opaque.VIDEO,),
    "nameless_padding": 5.0,
    "same_box": 0.4,
    "largest_control": (480.0, 161.0),
    "min_score": 0.1,
    "rule": match_as_ufo2,
}

OTHER = {
    "name": "other",
    "mode": Mode.TEXT,
    "detectors": ("controls",),
    "view": View.INTERACTIVE,
    "scope": Scope.PAGE,
    "max_tokens": 24,
    "style": TextStyle.COMPACT,
    "policy": EpisodePolicy.PLAYERS,
    **{f"fusion.{name}": replace(DEFAULTS, **{name: value}) for name, value in FUSION.items()},  # type: ignore[arg-type]
}


def test_the_digest_changes_with_every_field_and_with_nothing_else(tmp_path: Path) -> None:
    names = {each.name for each in fields(Variant)} - {"fusion"} | {f"fusion.{e.name}" for e in fields(DEFAULTS)}
    assert names == OTHER.keys(), "a field that is added needs a value of its own here"
    plain = load_variant("fused")
    changed = [replace(plain, **{name.partition(".")[0]: value}) for name, value in OTHER.items()]  # type: ignore[arg-type]
    digests = {digest_of([each.text()]) for each in (plain, *changed)}
    assert len(digests) == 1 + len(OTHER)
    same = written(tmp_path, "# another look\nmode='fused'\nname='fused'\nmax_tokens=0\n[fusion]\nsame_box=0.5\n")
    assert load_variant(same).text() == plain.text()


TEXT = 'name = "a"\nmode = "text"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(TEXT + "speed = 3", r"unknown key 'speed': there are name, mode, detectors", id="unknown-key"),
        pytest.param(TEXT + "[fusion]\nsame = 1", r"unknown key 'fusion.same': there are fusion.look_at", id="fusion"),
        pytest.param(TEXT + 'max_tokens = "1"', r"Expected `int`, got `str` - at `\$.max_tokens`", id="wrong-type"),
        pytest.param(TEXT + "fusion = 3", r"Expected `object`, got `int` - at `\$.fusion`", id="no-table"),
        pytest.param(TEXT + "max_tokens = -1", r"max_tokens is 0 \(no budget\), or 24 or more", id="negative"),
        pytest.param(TEXT + "[fusion]\nsame_box = 2", r"same_box is in \(0, 1\]", id="out-of-range"),
        pytest.param('name = "a"\nmode = "psychic"', "mode is 'psychic': there are text, fused, vision", id="mode"),
        pytest.param(TEXT + 'view = ["full"]', r"Expected `str`, got `array` - at `\$.view`", id="a-list-for-one"),
        pytest.param(TEXT + '[fusion]\nlook_at = ["cat"]', "fusion.look_at is 'cat': there are canvas", id="look-at"),
        pytest.param(TEXT + '[fusion]\nrule = "ufo2"', "fusion.rule is 'ufo2': name a function as MODULE:", id="rule"),
        pytest.param(
            TEXT + '[fusion]\nrule = "os:name"', "fusion.rule is 'os:name', which is not a func", id="no-rule"
        ),
        pytest.param(
            TEXT + 'detectors = ["controls", "eye"]',
            "no detector is called 'eye': there are controls, fasterpaddle, icons, onnx, ",
            id="unknown-detector",
        ),
        pytest.param('mode = "text"', "missing required field `name`", id="nameless"),
        pytest.param('name = " "\nmode = "text"', "a variant has a name", id="blank-name"),
        pytest.param('name = "a', "not TOML: Unterminated string", id="not-toml"),
    ],
)
def test_an_unknown_key_is_one_line_that_names_the_file_and_the_allowed_keys(
    tmp_path: Path, text: str, said: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadInputError, match=said) as caught:
        load_variant(path)
    line = str(caught.value)
    assert line.startswith(f"{path}: ")
    assert "\n" not in line


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "picture.toml"
    path.write_bytes(b"\x89PNG\xff")
    with pytest.raises(BadInputError, match=r"picture\.toml: not TOML"):
        load_variant(str(path))


def test_a_file_or_name_that_is_not_there_is_refused_with_the_names_that_are(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    for name in ("fussed", str(missing), str(folder), f"{written(tmp_path, TEXT)}/under-a-file.toml"):
        with pytest.raises(BadInputError, match="name a TOML file, or one of digest, fused, ") as caught:
            load_variant(name)
        assert repr(name) in str(caught.value)
