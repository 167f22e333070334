"""All texts of the message line and of F's lists, one row each, in all languages.

The bank, the scripts, the log and the console use the English texts. A text is translated when
its view is drawn.
"""

from enum import Enum
from typing import NamedTuple


class Language(Enum):
    """A language of the screen."""

    ENGLISH = "en"
    FRENCH = "fr"


class Text(Enum):
    """A row: the English text, the French one, and its rule in docs/rules.md.

    French capitals keep their accents. Both texts must fit the line, with what may follow them;
    eight letters fit beside a digit in a list.
    """

    NO_CARD = "NO CARD", "PAS DE CARTE", "S8"
    NO_AMOUNT = "NO AMOUNT", "PAS DE MONTANT", "M5"
    MIN = "MIN", "MIN", "M6"
    MAX = "MAX", "MAX", "M6"
    STEP = "STEP", "MULTIPLE DE", "M7"  # "PAS 1K" would read as "not 1K"
    NO_FUNDS = "NO FUNDS", "SOLDE TROP BAS", "M8"
    FULL = "FULL", "CARTE PLEINE", "M8"
    CLEAR_FIRST = "CLEAR FIRST", "EFFACER D'ABORD", "S7"
    ALREADY_PAID = "ALREADY PAID", "DÉJÀ VERSÉ", "S7"
    LEFT_CARD_ONLY = "LEFT CARD ONLY", "GAUCHE SEULEMENT", "S7"
    SAME_CARD = "SAME CARD", "MÊME CARTE", "S9"
    UNKNOWN_CARD = "UNKNOWN CARD", "CARTE INCONNUE", "S10"
    ONE_CARD = "ONE CARD", "UNE SEULE CARTE", "S11"
    NEW_CARD = "NEW CARD", "NOUVELLE CARTE", "S10"
    REPLACED = "REPLACED", "CARTE REMPLACÉE", "D12"
    NOT_DONE = "NOT DONE", "PAS FAIT", "N1"
    PRESS_AGAIN = "PRESS AGAIN", "APPUYEZ ENCORE", "P2"
    NOTHING_TO_UNDO = "NOTHING TO UNDO", "RIEN À ANNULER", "C3"
    C_AGAIN = "C = AGAIN", "C = REFAIRE", "C5"
    NEW_GAME = "NEW GAME", "NOUVELLE PARTIE", "C4"
    NEW_GAME_IN = "NEW GAME IN", "NOUVELLE PARTIE :", "D13"  # "DANS" would be too long
    VOLUME = "VOLUME", "VOLUME", "V1"
    LEFT_READER = "LEFT READER", "LECTEUR GAUCHE", "D6"
    RIGHT_READER = "RIGHT READER", "LECTEUR DROIT", "D6"
    LOW_POWER = "LOW POWER", "TENSION FAIBLE", "D19"
    ERROR = "ERROR", "ERREUR", "D3"
    LEDGER_ERROR = "LEDGER ERROR", "ERREUR REGISTRE", "D4"
    WHOLE_AMOUNT = "", "", "M3"  # the amount stands alone
    NAME = "", "", "N6"  # of a card, as it was given

    # What F offers.
    BANKRUPT = "BANKRUPT", "FAILLITE", "F5"
    MORTGAGE = "MORTGAGE", "HYPOTH.", "F6"
    INTEREST = "INTEREST", "INTÉRÊTS", "F7"
    UTILITY = "UTILITY", "SERVICE", "F8"
    FINE = "FINE", "AMENDE", "F9"
    SELL = "SELL", "VENDRE", "F10"
    AGAIN = "AGAIN", "ENCORE", "F11"
    HISTORY = "HISTORY", "JOURNAL", "F13"
    COUNT = "COUNT", "DÉCOMPTE", "F15"  # "COMPTE" is an account
    GAME = "GAME", "PARTIE", "F18"
    FIGHT_LOST = "FIGHT LOST", "COMBAT PERDU", "F12"
    POT = "POT", "CAGNOTTE", "F23"
    NORMAL = "NORMAL", "NORMALE", "F18"
    FAST = "FAST", "RAPIDE", "F18"
    CLOCK = "CLOCK", "MINUTÉE", "F18"
    EDITION = "EDITION", "ÉDITION", "F18"
    FORGET = "FORGET", "OUBLIER", "F19"
    BACK = "BACK", "REPRISE", "F20"  # "RETOUR" would be the way out of the list

    # What F says.
    OUT = "OUT", "ÉLIMINÉ", "F5"
    DICE = "DICE", "DÉS", "F8"
    UNDO = "UNDO", "ANNULER", "F13"
    UNDO_SHORT = "UNDO", "ANN.", "N4"
    PRESS_M = "? M", " ? M", "F1"  # French has a space before a question mark
    HOLD_M = "? HOLD M", " ? TENIR M", "F5"
    RULEBOOK_ONLY = "RULEBOOK ONLY", "RÈGLES STRICTES", "F14"
    FINAL_COUNT = "FINAL COUNT", "DÉCOMPTE FINAL", "F16"
    STILL = "STILL", "RESTE", "F16"
    WINNER = "WINNER", "VAINQUEUR", "F17"
    NEXT = "NEXT", "SUIVANTE", "F18"  # a game or an edition: both are feminine
    NEXT_GAME = "NEXT GAME", "SUIVANTE", "F18"
    FORGOTTEN = "FORGOTTEN", "CARTE OUBLIÉE", "F19"
    GAME_BACK = "GAME BACK", "PARTIE REPRISE", "F20"
    TIME = "TIME", "TEMPS ÉCOULÉ", "F22"

    # The purpose of a move in HISTORY, where no text above has it.
    PAID = "PAID", "PAYÉ", "F24"
    SALARY = "SALARY", "SALAIRE", "F24"
    RENT = "RENT", "LOYER", "F24"
    SALE = "SALE", "VENTE", "F24"
    FIGHT = "FIGHT", "COMBAT", "F24"
    TAX = "TAX", "TAXE", "F24"
    UNDONE = "UNDONE", "ANN.", "F13"
    EARLIER = "EARLIER", "PLUS TÔT", "F13"

    english: str
    french: str
    rule: str

    def __new__(cls, english: str, french: str, rule: str) -> "Text":
        """Create a member. Its value is its place: two texts may be alike in one language."""
        text = object.__new__(cls)
        text._value_ = len(cls.__members__)
        text.english = english
        text.french = french
        text.rule = rule
        return text

    def translated(self, language: Language) -> str:
        return self.french if language is Language.FRENCH else self.english


class Message(NamedTuple):
    """A text with what precedes and follows it: an amount, a number or a text."""

    text: Text
    detail: str | Text = ""
    lead: str = ""
    ask: Text | None = None
    """What M does if it is pressed or held (F4, F5)."""

    def __str__(self) -> str:
        """Return the English message, as in the rules and the scripts."""
        return self.translated(Language.ENGLISH)

    def translated(self, language: Language) -> str:
        text, detail = self.text.translated(language), self.detail
        if isinstance(detail, Text):
            detail = detail.translated(language)
        ask = self.ask.translated(language) if self.ask else ""
        return " ".join(word for word in (self.lead, text, detail) if word) + ask
