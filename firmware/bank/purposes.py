"""The purposes of postings: one row for each purpose, with all of its names and sentences."""

from enum import Enum


class Purpose(Enum):
    """A row: its name in the ledger, in HISTORY (F24) and in the report, and the page's sentences.

    HISTORY's name is that of a ``hal.display.messages.Text``. A posting that is not a player's
    move has neither that nor a line in the report.
    """

    # fmt: off
    OPENING = ("opening", "", "",
        "{payee} opens with {amount}",
        "{payee} commence avec {amount}")
    ENTRY = ("entry", "PAID", "entries",
        "{payer} pays {amount} to {payee}",
        "{payer} paie {amount} à {payee}")
    SALARY = ("salary", "SALARY", "salaries",
        "{payee} passes GO and gets {amount}",
        "{payee} passe par la case Départ et reçoit {amount}")
    REVERSAL = ("reversal", "", "",
        "Taken back: {amount} from {payer} to {payee}",
        "Annulé : {amount} de {payer} à {payee}")
    RETURN = ("return", "", "",
        "{payer} is forgotten; {amount} goes back to the bank",
        "{payer} est oubliée ; {amount} reviennent à la banque")
    RESTORED = ("restored", "", "",
        "{payee} is known again and has its {amount} back",
        "{payee} est de nouveau connue et retrouve ses {amount}")
    RENT = ("rent", "RENT", "rent of utilities",
        "{payer} pays {amount} to {payee} for a utility",
        "{payer} paie {amount} à {payee} pour un service public")
    FIGHT = ("fight", "FIGHT", "lost fights",
        "{payer} loses a fight and pays {amount} to {payee}",
        "{payer} perd un combat et paie {amount} à {payee}")
    SALE = ("sale", "SALE", "sold to the bank",
        "{payee} sells buildings back for {amount}",
        "{payee} revend des bâtiments pour {amount}")
    MORTGAGE = ("mortgage", "MORTGAGE", "mortgages lifted",
        "{payer} lifts a mortgage for {amount}",
        "{payer} lève une hypothèque pour {amount}")
    INTEREST = ("interest", "INTEREST", "interest on mortgages",
        "{payer} pays {amount} interest on a mortgage",
        "{payer} paie {amount} d’intérêts sur une hypothèque")
    FINE = ("fine", "FINE", "fines",
        "{payer} pays a fine of {amount} to {payee}",
        "{payer} paie une amende de {amount} à {payee}")
    TAX = ("tax", "TAX", "taxes into the pot",
        "{payer} pays {amount} tax into the pot",
        "{payer} verse une taxe de {amount} à la cagnotte")
    POT = ("pot", "POT", "out of the pot",
        "{payee} wins the pot: {amount}",
        "{payee} gagne la cagnotte : {amount}")
    BANKRUPTCY = ("bankruptcy", "BANKRUPT", "bankruptcies",
        "{payer} is bankrupt; {amount} goes to {payee}",
        "{payer} fait faillite ; {payee} reçoit {amount}")
    # fmt: on

    history: str
    heading: str
    sentences: dict[str, str]

    def __new__(
        cls, name: str, history: str = "", heading: str = "", english: str = "", french: str = ""
    ) -> "Purpose":
        """A member whose value is its name in the ledger."""
        purpose = object.__new__(cls)
        purpose._value_ = name
        purpose.history, purpose.heading = history, heading
        purpose.sentences = {"en": english, "fr": french}
        return purpose

    @property
    def is_move(self) -> bool:
        """Whether it is a player's move; not the bank's own posting or an undo."""
        return bool(self.history)

    @property
    def moves_money(self) -> bool:
        """Whether it is a player's move, or takes one back."""
        return self.is_move or self is Purpose.REVERSAL

    @property
    def may_be_zero(self) -> bool:
        """A bankrupt player may have nothing left."""
        return self in (Purpose.BANKRUPTCY, Purpose.REVERSAL)


INTO_THE_POT = "from the bank into the pot"
"""The report's heading for the bank's payments into the pot, which are a ``POT``, too (F23)."""
INTO_THE_POT_SENTENCES = {
    "en": "{payer} pays {amount} into the pot",
    "fr": "{payer} verse {amount} à la cagnotte",
}
