"""The message for each of the bank's refusals."""

from firmware.bank.edition import Edition
from firmware.bank.refusals import Refusal
from hal.display.messages import Message, Text


def caption(refusal: Refusal, edition: Edition) -> Message:
    match refusal:
        case Refusal.NO_AMOUNT:
            return Message(Text.NO_AMOUNT)
        case Refusal.TOO_SMALL:
            return Message(Text.MIN, edition.units.write(edition.entry_minimum).text)
        case Refusal.TOO_LARGE:
            return Message(Text.MAX, edition.units.write(edition.entry_maximum).text)
        case Refusal.NOT_A_STEP:
            return Message(Text.STEP, edition.units.write(edition.step).text)
        case Refusal.NO_FUNDS:
            return Message(Text.NO_FUNDS)
        case Refusal.FULL:
            return Message(Text.FULL)
