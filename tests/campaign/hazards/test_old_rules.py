"""Old rules that surprised the banker are found when they are put back."""

import pytest

from tests.campaign.hazards.judgement import Find
from tests.campaign.hazards.old_rules import OLD_RULES, OldRule, put_back
from tests.campaign.hazards.search import Found, evenings
from tests.campaign.hazards.shrink import as_script, shrink
from tests.campaign.hazards.watch import Watch

EVENINGS = 60
"""The budget of the search for one rule: about 12 000 states."""
QUICK = ("N2", "F1", "S7", "F5")
"""The search needs only a few states for these."""


def finds(script: str) -> list[Find | None]:
    watch = Watch(())
    return [watch.play(line) for line in script.split("; ")]


@pytest.mark.parametrize("rule", OLD_RULES, ids=str)
def test_example_surprises_under_the_old_rule_only(rule: OldRule) -> None:
    assert not any(finds(rule.example))
    with put_back(rule):
        found = finds(rule.example)
    assert found[-1], f"{rule.example}: {rule} is not noticed"
    assert not any(found[:-1])


def first_find() -> tuple[Found, int]:
    """What the search finds first, and in how many states."""
    states = 0
    for evening in evenings(1):
        found = evening.play()
        states += evening.states
        if found:
            return found, states
        assert evening.seed < EVENINGS, f"nothing was found in {states} states"
    raise AssertionError("the evenings never end")


def is_found(rule: OldRule) -> None:
    with put_back(rule):
        found, states = first_find()
        shortest = shrink(found)
    print(rule, f"was found after {states} states:", as_script(shortest.lines, shortest.find))
    assert len(shortest.lines) < len(found.lines) or len(found.lines) < 10


@pytest.mark.parametrize("rule", [r for r in OLD_RULES if r.replaced_by in QUICK], ids=str)
@pytest.mark.timeout(300)
def test_search_finds_old_rule(rule: OldRule) -> None:
    is_found(rule)


@pytest.mark.long
@pytest.mark.parametrize("rule", [r for r in OLD_RULES if r.replaced_by not in QUICK], ids=str)
def test_long_search_finds_old_rule(rule: OldRule) -> None:
    is_found(rule)
