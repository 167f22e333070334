"""Every refusal of the bank has a message."""

import pytest

from firmware.bank import edition as editions
from firmware.bank.refusals import Refusal
from firmware.table.captions import caption

EXPECTED = {
    Refusal.NO_AMOUNT: "NO AMOUNT",
    Refusal.TOO_SMALL: "MIN 10K",
    Refusal.TOO_LARGE: "MAX 20M",
    Refusal.NOT_A_STEP: "STEP 1K",
    Refusal.NO_FUNDS: "NO FUNDS",
    Refusal.FULL: "FULL",
}


@pytest.mark.parametrize("refusal", Refusal, ids=lambda refusal: refusal.name)
def test_the_message_has_the_figure_of_the_edition(refusal: Refusal) -> None:
    assert str(caption(refusal, editions.load("banking"))) == EXPECTED[refusal]
