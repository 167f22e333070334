"""The words of the banker's card, of both its sides, in both of its languages.

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


class FunctionWords(NamedTuple):
    """Everything that one half of the other side says: what the F key does."""

    title: str
    opens: str
    moves: str
    """Beside a screen that asks for M."""
    leaves: str
    final_count: str
    steps: tuple[str, str, str]
    """Under the three screens of the final count."""
    counting: str
    digits: str
    meanings: dict[str, str]
    """What each entry of the list is for, by its digit."""
    next_game: tuple[str, ...]
    """Line by line, beside the list of the last digit."""


class Words(NamedTuple):
    """Everything that one language says."""

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
    function: FunctionWords


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
    volume="*Volume,* while no card is in. *F:* see overleaf.",
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
    function=FunctionWords(
        title="The F key",
        opens="*F opens the list* of what is possible with the cards that are in. A *digit* "
        "chooses. *F* again turns the page, if there are two.",
        moves="*M confirms.* What will move shows first. Here *F2:* a mortgage of {mortgage} "
        "and {interest}%, up to the next {rounding}. A mistake? *C* takes it back, as ever.",
        leaves="*C leaves,* and nothing has moved. So do 15 s without a key, and a card put in "
        "or taken out.",
        final_count="The final count, at the end of the game",
        steps=(
            "*F9:* who has how much. *M* begins.",
            "*Card 2 left,* its deeds typed.",
            "All counted: the *winner.*",
        ),
        counting="Put each player’s card in *on the left.* Type what its deeds and buildings are "
        "worth, amount by amount: that is added to its balance, and no money moves. *Take it "
        "out;* the next one. Mistyped? Put the card in again: it starts from its balance. *C* "
        "leaves the count. A fast game, and one against the clock, open it by themselves.",
        digits="F, then a digit",
        meanings={
            "1": "*Bankrupt:* the right card pays all it has to the left card, or else to the "
            "bank. It is out.",
            "2": "*Mortgage lifted:* type its value. The right card pays that and {interest}%.",
            "3": "*Interest alone:* type the mortgage’s value. The right card pays {interest}% "
            "of it, when the deed changes hands.",
            "4": "*Utility rent:* type the total of the dice, then *K* if the left card has one, "
            "*M* if both.",
            "5": "*Jail:* the right card pays {fine}.",
            "6": "*Buildings sold back:* type their price. The bank pays the left card half.",
            "7": "*The last amount again,* with the cards that are in now.",
            "8": "*The moves so far:* ← goes back, the comma forth. *M* twice takes back the "
            "one that shows, however old.",
            "9": "*Who has how much. M:* the final count.",
            "0": "*The next game,* by one more digit:",
        },
        next_game=(
            "*1 to 4:* what it will be; hold *C* then.",
            "*3,* minutes, *M:* against the clock.",
            "*5,* a card’s number, *M:* forgotten.",
            "*6, M:* back to the game before.",
        ),
    ),
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
    volume="*Volume,* quand aucune carte n’est mise. *F :* voir au verso.",
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
    function=FunctionWords(
        title="La touche F",
        opens="*F ouvre la liste* de ce qui est possible avec les cartes en place. Un *chiffre* "
        "choisit. *F* encore tourne la page, s’il y en a deux.",
        moves="*M confirme.* La somme s’affiche d’abord. Ici *F2 :* une hypothèque de {mortgage} "
        "plus {interest} %, arrondie aux {rounding} supérieurs. Une erreur ? *C* annule, comme "
        "toujours.",
        leaves="*C quitte,* rien n’a bougé. De même après 15 s sans touche, ou si une carte est "
        "mise ou ôtée.",
        final_count="Le décompte final, en fin de partie",
        steps=(
            "*F9 :* les soldes. *M* commence.",
            "*La 2 à gauche,* ses titres tapés.",
            "Tout est compté : le *vainqueur.*",
        ),
        counting="Mettez la carte de chaque joueur *à gauche.* Tapez la valeur de ses titres et "
        "bâtiments, montant par montant : elle s’ajoute au solde, sans que l’argent bouge. "
        "*Ôtez-la ;* à la suivante. Une erreur ? Remettez la carte : elle repart de son solde. "
        "*C* quitte le décompte. Une partie rapide ou minutée l’ouvre d’elle-même.",
        digits="F, puis un chiffre",
        meanings={
            "1": "*Faillite :* la carte de droite, éliminée, verse tout à celle de gauche, sinon "
            "à la banque.",
            "2": "*Hypothèque levée :* tapez sa valeur. La carte de droite la paie, plus "
            "{interest} %.",
            "3": "*Intérêts seuls :* tapez l’hypothèque. La carte de droite en paie {interest} %, "
            "quand le titre change de mains.",
            "4": "*Service public :* total des dés, puis *K* si la carte de gauche en a un, *M* "
            "si elle a les deux.",
            "5": "*Prison :* la carte de droite paie {fine}.",
            "6": "*Bâtiments revendus :* tapez leur prix. La carte de gauche en reçoit la moitié.",
            "7": "*Encore le dernier montant,* avec les cartes en place.",
            "8": "*Les opérations :* ← recule, la virgule avance. *M* deux fois annule celle qui "
            "s’affiche, même ancienne.",
            "9": "*Les soldes.* Puis *M :* le décompte final.",
            "0": "*La prochaine partie,* par un autre chiffre :",
        },
        next_game=(
            "*1 à 4 :* laquelle ; puis tenez *C.*",
            "*3,* les minutes, *M :* minutée.",
            "*5,* un numéro, *M :* carte oubliée.",
            "*6, M :* retour à la partie d’avant.",
        ),
    ),
)

BOTH = (FRENCH, ENGLISH)


def bound(language: str, text: str) -> str:
    """The text with the spaces that may not break a line made such."""
    if language == "fr":
        text = re.sub(r" (?=[:;!?»%])|(?<=«) ", NO_BREAK, text)
    return re.sub(r"(?<=\d) (?=s\b)", NO_BREAK, text)
