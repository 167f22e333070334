"""Messages become the known actions, or are refused; nothing else comes of them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.events import Key, Slot
from sim.panel import actions
from sim.panel.actions import (
    MOST_LETTERS,
    PACES,
    Fault,
    Press,
    Put,
    Refusal,
    Refused,
    Release,
    SetFault,
    SetPace,
    Skip,
    Take,
)

KEYS = st.sampled_from(Key)
DONE = st.one_of(
    KEYS.map(Press),
    KEYS.map(Release),
    st.builds(Put, st.integers(1, 10), st.sampled_from(Slot)),
    st.builds(Take, st.integers(1, 10)),
    st.sampled_from(PACES).map(SetPace),
    st.just(Skip()),
    st.builds(SetFault, st.sampled_from(Fault), st.booleans()),
)


@given(DONE)
def test_what_is_written_is_read_again(done: actions.Done) -> None:
    again = actions.read(actions.write(done)).action
    assert again == done
    assert type(again) is type(done)


@given(st.one_of(st.text(max_size=300), st.from_regex(r'\{"do":"[a-z]{3,7}"(,"[a-z]+":.{0,9})*\}')))
def test_nothing_but_a_refusal_comes_of_nonsense(text: str) -> None:
    with suppress(Refused):
        actions.read(text)


def test_a_message_may_be_so_long_and_no_longer() -> None:
    message = '{"do":"skip"}'
    padding = " " * (MOST_LETTERS - len(message))
    assert isinstance(actions.read(message + padding).action, Skip)
    with pytest.raises(Refused) as refused:
        actions.read(message + padding + " ")
    assert refused.value.refusal is Refusal.TOO_LONG
