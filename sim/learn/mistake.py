"""Says in a sentence what is wrong with the money."""

from collections.abc import Callable
from typing import NamedTuple

from firmware.bank.records import BANK, POT
from sim.learn.observation import Holdings
from sim.learn.sentence import Sentence

THE_BANK = Sentence("the bank", "la banque")
THE_POT = Sentence("the pot", "la cagnotte")
A_CARD = Sentence("card {card}", "la carte {card}")

WRONG_AMOUNT = Sentence(
    "{payer} has paid {paid} instead of {due}.", "{payer} a payé {paid} au lieu de {due}."
)
WRONG_ACCOUNT = Sentence(
    "{payer} has paid {payee} {paid}, but {debtor} must pay {creditor} {due}.",
    "{payer} a payé {paid} à {payee}, mais {debtor} doit payer {due} à {creditor}.",
)
NOT_DUE = Sentence(
    "{payer} has paid {payee} {paid}, which is not part of the task.",
    "{payer} a payé {paid} à {payee}, ce qui ne fait pas partie de l’exercice.",
)
WRONG_BALANCE = Sentence("{card} has {held} instead of {due}.", "{card} a {held} au lieu de {due}.")
NOT_BANKRUPT = Sentence(
    "{card} has paid everything, but is not bankrupt: that is F 1.",
    "{card} a tout payé, mais n’est pas en faillite : c’est F 1.",
)
BANKRUPT = Sentence(
    "{card} is bankrupt, which is not part of the task.",
    "{card} est en faillite, ce qui ne fait pas partie de l’exercice.",
)

Writer = Callable[[int], str]
"""Writes an amount with the units of the edition."""


class Transfer(NamedTuple):
    """Money that one account has paid another, in all."""

    payer: int
    payee: int
    amount: int


class Mistake(NamedTuple):
    """What is wrong."""

    sentence: Sentence
    accounts: frozenset[int]
    """Those of the move that went wrong, if it is one: C needs their cards."""


def mistake(was: Holdings, now: Holdings, due: Holdings | None, write: Writer) -> Mistake:
    """What is wrong now. ``was`` is the last good stage, ``due`` the next one, if any."""
    paid = transfer(was, now)
    accounts = frozenset(paid[:2] if paid else ())
    if sentence := _wrong_bankruptcy(was, now, due):
        return Mistake(sentence, accounts)
    if paid is None:
        return Mistake(_wrong_balance(now, due or was, write), accounts)
    wanted = transfer(was, due) if due else None
    return Mistake(_wrong_transfer(paid, wanted, write), accounts)


def transfer(before: Holdings, after: Holdings) -> Transfer | None:
    """What has moved, if it went from one account to one other."""
    changes = {
        account: change
        for account in before.balances.keys() | after.balances.keys()
        if (change := after.balances.get(account, 0) - before.balances.get(account, 0))
    }
    match sorted(changes, key=changes.__getitem__):
        case [payer, payee]:
            return Transfer(payer, payee, changes[payee])
    return None


def _wrong_transfer(paid: Transfer, due: Transfer | None, write: Writer) -> Sentence:
    sentence = WRONG_ACCOUNT if due else NOT_DUE
    if due and paid[:2] == due[:2]:
        sentence = WRONG_AMOUNT
    fields: dict[str, Sentence | str] = {
        "payer": _name(paid.payer, first=True),
        "payee": _name(paid.payee),
        "paid": write(paid.amount),
    }
    if due:
        fields |= {"debtor": _name(due.payer), "creditor": _name(due.payee)}
        fields["due"] = write(due.amount)
    return sentence.filled(**fields)


def _wrong_balance(now: Holdings, due: Holdings, write: Writer) -> Sentence:
    """The first account that differs; several do."""
    accounts = (now.balances.keys() | due.balances.keys()) - {BANK}
    wrong = (n for n in sorted(accounts) if now.balances.get(n, 0) != due.balances.get(n, 0))
    account = next(wrong, BANK)
    held, wanted = (write(abs(each.balances.get(account, 0))) for each in (now, due))
    return WRONG_BALANCE.filled(card=_name(account, first=True), held=held, due=wanted)


def _wrong_bankruptcy(was: Holdings, now: Holdings, due: Holdings | None) -> Sentence | None:
    wanted = due.out if due else was.out
    for card in sorted(now.out - wanted - was.out):
        return BANKRUPT.filled(card=_name(card, first=True))
    if due and now.balances == due.balances:
        for card in sorted(wanted - now.out):
            return NOT_BANKRUPT.filled(card=_name(card, first=True))
    return None


def _name(account: int, *, first: bool = False) -> Sentence:
    """An account's name; ``first``: at the beginning of a sentence."""
    name = {BANK: THE_BANK, POT: THE_POT}.get(account, A_CARD).filled(card=account)
    return Sentence(*(text[0].upper() + text[1:] for text in name)) if first else name
