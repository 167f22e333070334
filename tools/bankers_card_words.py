"""The words of the banker's card, in both of its languages.

``*stars*`` make words bold, and ``{salary}`` and its like are the edition's own figures.
Spaces are written as ordinary ones; which of them may not break a line is for the
language's own rule to say, below.
"""

import re
from typing import NamedTuple

NO_BREAK = "\u00a0"


class Rule(NamedTuple):
    """A heading, and what it means."""

    heading: str
    text: str


class Words(NamedTuple):
    """Everything that one half of the page says."""

    language: str
    title: str
    slots: tuple[Rule, Rule, Rule]
    """A card on the left, on the right, on both sides."""
    example: str
    steps: tuple[str, str, str]
    """Under the three screens of the example."""
    amount: str
    salary: str
    mistake: str
    new_game: str
    volume: str
    asleep: str
    new_card: str
    edition: str
    messages: str
    meanings: dict[str, str]
    """What each message means, by the name of its screen."""


ENGLISH = Words(
    language="en",
    title="The banker’s card",
    slots=(
        Rule("Card on the left (+)", "It *receives* from the bank."),
        Rule("Card on the right (−)", "It *pays* the bank."),
        Rule("One on each side", "The right card *pays* the left card."),
    ),
    example="Card 1 pays card 2 a rent of {rent}",
    steps=(
        "Both cards are in. Type the amount,",
        "then *M*: paid. What card 1 has,",
        "and after 2 s what card 2 has.",
    ),
    amount="*Amount:* digits and comma, then *M* for millions or *K* for thousands. "
    "The money moves *at once*.",
    salary="*Past GO:* pays {salary} to the left card, with the right slot empty. "
    "Once for each time the card is put in.",
    mistake="*A mistake?* Clears what is being typed. With nothing typed, takes back the last "
    "move, then the one before, while the cards stay in.",
    new_game="*New game:* hold it for *3 seconds*. Every card has {opening} again. "
    "Let go while it counts down, and nothing changes.",
    volume="*Volume,* while no card is in. *F* does nothing yet.",
    asleep="*Dark* after a minute: any key wakes it. Unplugged, the box keeps the money.",
    new_card="A card that is new takes a number and has {opening}.",
    edition="Tellerbox, edition {edition}",
    messages="A low buzz and a message: nothing moved",
    meanings={
        "no-funds": "The payer does not have that much.",
        "min": "Too little: {minimum} is the least.",
        "max": "Too much: {maximum} is the most at a time.",
        "no-amount": "Type digits before M or K.",
        "no-card": "Put a card in first.",
        "already-paid": "Paid: take the card out and back in.",
        "left-card-only": "For GO: a card on the left only.",
        "same-card": "Seen in both slots: take it out.",
        "unknown-card": "A stranger, or a phone: take it out.",
        "nothing-to-undo": "No move, or its card was taken out.",
    },
)

FRENCH = Words(
    language="fr",
    title="La carte du banquier",
    slots=(
        Rule("Carte à gauche (+)", "Elle *reçoit* de la banque."),
        Rule("Carte à droite (−)", "Elle *paie* à la banque."),
        Rule("Une de chaque côté", "Celle de droite *paie* celle de gauche."),
    ),
    example="La carte 1 paie {rent} de loyer à la 2",
    steps=(
        "Cartes en place, tapez le montant,",
        "puis *M* : payé. Solde de la 1,",
        "puis, après 2 s, celui de la 2.",
    ),
    amount="*Montant :* chiffres et virgule, puis *M* (millions) ou *K* (milliers). "
    "L’argent passe *aussitôt*.",
    salary="*Case Départ :* {salary} à la carte de gauche, fente droite vide. "
    "Une fois par insertion.",
    mistake="*Une erreur ?* Efface la saisie en cours. Sans saisie, annule la dernière "
    "opération, puis la précédente, tant que les cartes restent en place.",
    new_game="*Nouvelle partie :* tenez-la *3 secondes*. Chaque carte retrouve {opening}. "
    "Relâchée pendant le décompte : rien ne change.",
    volume="*Volume,* quand aucune carte n’est mise. *F* ne sert pas encore.",
    asleep="*Écran noir* après une minute : toute touche le réveille. "
    "Débranchée, la boîte garde l’argent.",
    new_card="Une carte neuve prend un numéro et reçoit {opening}.",
    edition="Tellerbox, édition {edition}",
    messages="Un son grave, un message : rien n’a bougé",
    meanings={
        "no-funds": "Le payeur n’a pas cette somme.",
        "min": "Trop peu : {minimum} au moins.",
        "max": "Trop : {maximum} au plus en une fois.",
        "no-amount": "Des chiffres d’abord, puis M ou K.",
        "no-card": "Mettez d’abord une carte.",
        "already-paid": "Ôtez, puis remettez la carte.",
        "left-card-only": "Départ : carte à gauche seulement.",
        "same-card": "Vue des deux côtés : ôtez-la.",
        "unknown-card": "Étrangère, ou un téléphone : ôtez-la.",
        "nothing-to-undo": "Aucune opération, ou carte ressortie.",
    },
)

BOTH = (FRENCH, ENGLISH)


def bound(language: str, text: str) -> str:
    """The text with the spaces that may not break a line made such."""
    if language == "fr":
        text = re.sub(r" (?=[:;!?»])|(?<=«) ", NO_BREAK, text)
    return re.sub(r"(?<=\d) (?=s\b)", NO_BREAK, text)
