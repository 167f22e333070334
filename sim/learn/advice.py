"""Says what a message of the box asks for, by the name of its text."""

from sim.learn.sentence import Sentence

ADVICE = {
    "NO_CARD": Sentence(
        "No card is in: put one in first.", "Aucune carte n’est là : mettez-en une d’abord."
    ),
    "NO_AMOUNT": Sentence("Type the amount before M or K.", "Tapez le montant avant M ou K."),
    "MIN": Sentence(
        "The amount is too small. M means millions, K means thousands.",
        "Le montant est trop petit. M veut dire millions, K veut dire milliers.",
    ),
    "MAX": Sentence(
        "The amount is too large. The comma comes before the M: 1,4M.",
        "Le montant est trop grand. La virgule vient avant le M : 1,4M.",
    ),
    "STEP": Sentence(
        "The amount is too exact. Type it as the task says.",
        "Le montant est trop précis. Tapez-le comme dans l’exercice.",
    ),
    "NO_FUNDS": Sentence(
        "The payer does not have that much, so nothing has moved.",
        "Le payeur n’a pas cette somme : rien n’a été payé.",
    ),
    "CLEAR_FIRST": Sentence(
        "An amount is half typed. Clear it with C, then press GO.",
        "Un montant est à moitié tapé. Effacez-le avec C, puis appuyez sur GO.",
    ),
    "ALREADY_PAID": Sentence(
        "The salary is paid. For another one, take the card out and put it in again.",
        "Le salaire est payé. Pour un autre, retirez la carte et remettez-la.",
    ),
    "LEFT_CARD_ONLY": Sentence(
        "This needs a card in the left slot alone. Take the right one out.",
        "Il faut une carte dans la fente gauche seulement. Retirez celle de droite.",
    ),
    "SAME_CARD": Sentence(
        "This card is in the other slot already. Take it out.",
        "Cette carte est déjà dans l’autre fente. Retirez-la.",
    ),
    "UNKNOWN_CARD": Sentence(
        "The box does not know this card. Take it out.",
        "La boîte ne connaît pas cette carte. Retirez-la.",
    ),
    "OUT": Sentence(
        "This player is bankrupt. Take the card out.", "Ce joueur est éliminé. Retirez sa carte."
    ),
    "NOT_DONE": Sentence(
        "The box was interrupted, and nothing has moved. Press C, then begin again.",
        "La boîte a été interrompue, et rien n’a été payé. Appuyez sur C, puis reprenez.",
    ),
    "PRESS_AGAIN": Sentence(
        "The box was asleep. Press the key again.",
        "La boîte était en veille. Appuyez encore sur la touche.",
    ),
    "NOTHING_TO_UNDO": Sentence(
        "C takes back a move only while its cards are in. Start the task again.",
        "C n’annule que tant que les cartes sont dans les fentes. Recommencez l’exercice.",
    ),
    "DICE": Sentence("Type the sum of the dice, 2 to 12.", "Tapez la somme des dés, de 2 à 12."),
}
