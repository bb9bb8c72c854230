import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perception.render.tokens import count_tokens

# Counts as the OpenAI Cookbook gives them for o200k_base, "How to count tokens with tiktoken".
COOKBOOK = {"antidisestablishmentarianism": 6, "2 + 2 = 4": 7, "お誕生日おめでとう": 8}


@pytest.mark.parametrize(("text", "tokens"), COOKBOOK.items())
def test_counts_are_those_of_o200k_base(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_an_empty_text_costs_nothing() -> None:
    assert count_tokens("") == 0


def test_a_special_tokens_name_on_a_page_is_plain_text() -> None:
    assert count_tokens("<|endoftext|>") > 1


def test_a_text_past_the_wrappers_limit_is_counted() -> None:
    assert count_tokens("a b " * 300_000) == pytest.approx(600_000, rel=0.01)


def test_a_lone_surrogate_is_an_error() -> None:
    with pytest.raises(UnicodeEncodeError):
        count_tokens("\ud800")


@pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")  # bpe-openai, on Python 3.11
@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_the_count_is_the_length_of_the_public_encoding(text: str) -> None:
    import bpe_openai

    assert count_tokens(text) == len(bpe_openai.get_encoding("o200k_base").encode_ordinary(text))


def test_importing_the_module_loads_no_vocabulary() -> None:
    code = "import sys, perception.render.tokens; print([name for name in sys.modules if 'bpe_openai' in name])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


@pytest.mark.parametrize("first", ["count_tokens('a')", "__import__('bpe_openai')"])
def test_the_public_package_can_be_used_beside_it(first: str) -> None:
    code = f"""
from perception.render.tokens import count_tokens
{first}
import bpe_openai
print(count_tokens("hello world"), len(bpe_openai.get_encoding("o200k_base").encode_ordinary("hello world")))
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "2 2\n"
