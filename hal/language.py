"""The languages of the message line: what the rules say in English, as the table reads it.

The bank, the scripts, the log and the console know the English words only. They become
another language's at the last moment, where a view becomes a picture.
"""

from enum import Enum


class Language(Enum):
    """A language that the screen can speak."""

    ENGLISH = "en"
    FRENCH = "fr"


FRENCH = {
    "NO CARD": "PAS DE CARTE",
    "NO AMOUNT": "PAS DE MONTANT",
    "MIN": "MIN",
    "MAX": "MAX",
    # "PAS 1K" would be a step to us, and "not 1K" to everybody else.
    "STEP": "MULTIPLE DE",
    "NO FUNDS": "SOLDE TROP BAS",
    "FULL": "CARTE PLEINE",
    "ALREADY PAID": "DÉJÀ VERSÉ",
    "LEFT CARD ONLY": "GAUCHE SEULEMENT",
    "SAME CARD": "MÊME CARTE",
    "UNKNOWN CARD": "CARTE INCONNUE",
    "ONE CARD": "UNE SEULE CARTE",
    "NEW CARD": "NOUVELLE CARTE",
    "REPLACED": "CARTE REMPLACÉE",
    "NOTHING TO UNDO": "RIEN À ANNULER",
    "NEW GAME": "NOUVELLE PARTIE",
    # With "DANS" it would be too long for the line.
    "NEW GAME IN": "NOUVELLE PARTIE :",
    "VOLUME": "VOLUME",
    "LEFT READER": "LECTEUR GAUCHE",
    "RIGHT READER": "LECTEUR DROIT",
    "LOW POWER": "TENSION FAIBLE",
    "ERROR": "ERREUR",
    "LEDGER ERROR": "ERREUR REGISTRE",
    "": "",  # a whole amount stands alone
    # A list has two columns; eight letters fit beside a digit.
    "ALL": "TOUT",
    "MORTGAGE": "HYPOTH.",
    "INTEREST": "INTÉRÊTS",
    "UTILITY": "SERVICE",
    "JAIL": "PRISON",
    "HALF": "MOITIÉ",
    "AGAIN": "ENCORE",
    "HISTORY": "JOURNAL",
    # "COMPTE" is an account, in the rulebooks too.
    "COUNT": "DÉCOMPTE",
    "GAME": "PARTIE",
    "FIGHT LOST": "COMBAT PERDU",
    "POT": "CAGNOTTE",
    "NORMAL": "NORMALE",
    "FAST": "RAPIDE",
    "CLOCK": "MINUTÉE",
    "EDITION": "ÉDITION",
    "FORGET": "OUBLIER",
    # "RETOUR" would be the way out of the list.
    "BACK": "REPRISE",
    "OUT": "ÉLIMINÉ",
    "DICE": "DÉS",
    "UNDO": "ANNULER",
    "RULEBOOK ONLY": "RÈGLES STRICTES",
    "FINAL COUNT": "DÉCOMPTE FINAL",
    "WINNER": "VAINQUEUR",
    # A game or an edition: both are feminine.
    "NEXT": "SUIVANTE",
    "NEXT CLOCK": "SUIVANTE MINUTÉE",
    "FORGOTTEN": "CARTE OUBLIÉE",
    "GAME BACK": "PARTIE REPRISE",
    "TIME": "TEMPS ÉCOULÉ",
    "PAID": "PAYÉ",
    "SALARY": "SALAIRE",
    "BANKRUPT": "FAILLITE",
    "RENT": "LOYER",
    "FINE": "AMENDE",
    "SALE": "VENTE",
    "FIGHT": "COMBAT",
    "TAX": "TAXE",
    "EARLIER": "PLUS TÔT",
}
"""Capitals with their accents, and no longer than the line with what may follow them."""


def in_language(english: str, language: Language) -> str:
    """A text of the message line, in a language."""
    return FRENCH[english] if language is Language.FRENCH else english
