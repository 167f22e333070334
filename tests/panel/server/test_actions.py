"""Messages are parsed as known actions, or refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.events import Key, Slot
from sim.panel import actions
from sim.panel.actions import (
    MAX_LENGTH,
    PACES,
    ActionRefusal,
    ActionRefused,
    NameCard,
    PanelFault,
    PressKey,
    PutCard,
    ReleaseKey,
    SetFault,
    SetPace,
    Skip,
    TakeCard,
)

KEYS = st.sampled_from(Key)
BOX_ACTIONS = st.one_of(
    KEYS.map(PressKey),
    KEYS.map(ReleaseKey),
    st.builds(PutCard, st.integers(1, 10), st.sampled_from(Slot)),
    st.builds(TakeCard, st.integers(1, 10)),
    st.sampled_from(PACES).map(SetPace),
    st.just(Skip()),
    st.builds(SetFault, st.sampled_from(PanelFault), st.booleans()),
)


@given(BOX_ACTIONS)
def test_a_written_action_reads_back(action: actions.BoxAction) -> None:
    again = actions.read(actions.write(action)).action
    assert again == action
    assert type(again) is type(action)


@given(st.one_of(st.text(max_size=300), st.from_regex(r'\{"do":"[a-z]{3,7}"(,"[a-z]+":.{0,9})*\}')))
def test_nonsense_raises_only_a_refusal(text: str) -> None:
    with suppress(ActionRefused):
        actions.read(text)


def test_a_message_has_a_maximum_length() -> None:
    message = '{"do":"skip"}'
    padding = " " * (MAX_LENGTH - len(message))
    assert isinstance(actions.read(message + padding).action, Skip)
    with pytest.raises(ActionRefused) as refused:
        actions.read(message + padding + " ")
    assert refused.value.refusal is ActionRefusal.TOO_LONG


def test_the_name_of_a_card() -> None:
    assert actions.read('{"do":"name","number":1,"name":"Ana"}').action == NameCard(1, "Ana")
    for wrong in (
        '{"do":"name","number":1}',
        '{"do":"name","number":"1","name":"Ana"}',
        '{"do":"name","number":true,"name":"Ana"}',
        '{"do":"name","number":1,"name":null}',
    ):
        with pytest.raises(ActionRefused) as refused:
            actions.read(wrong)
        assert refused.value.refusal is ActionRefusal.UNKNOWN
