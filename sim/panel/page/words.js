// Every text of the page, in English and French, and which of the two this browser wants.
// {names} in a text are filled in by whoever says it.

const ENGLISH = {
  "top": "Top of the page",
  "table": "The table",
  "beside": "Beside the box",
  "box": "The box",
  "edition": "{edition} edition",
  "edition-virtual": "{edition} edition, virtual board",
  "sound": "Sound on this page",
  "on-air": "Recording",
  "lost": "Connection lost; trying again…",

  "receive": "receive",
  "pay": "pay",
  "slot-left": "Left slot, receives: {holds}",
  "slot-right": "Right slot, pays: {holds}",
  "in-left": "Left slot: {card}. Take it out",
  "in-right": "Right slot: {card}. Take it out",
  "empty": "empty",

  "cards": "Cards",
  "card": "Card {card}",
  "a-card": "card {card}",
  "the-card": "card {card}",
  "stranger": "Stranger {card}",
  "lies-left": "{card}, in the left slot. Take it out",
  "lies-right": "{card}, in the right slot. Take it out",
  "hint": "Drag a card into a slot, or tap card and slot. F lists the banker’s other tasks.",
  "pick-first": "Pick up a card first.",

  "unit-1": "the amount as typed",
  "unit-1000": "thousands",
  "unit-1000000": "millions",
  "key-C": "C, clear or take back; hold 3 seconds for a new game",
  "key-G": "GO, salary",
  "key-F": "F, list of the banker’s other tasks",
  "key-,": "comma, or volume with no card in",

  "screen-card": "card {card}",
  "next-page": "F next page",
  "minutes-left": "minutes left: {minutes}",
  "asleep": "asleep",
  "no-power": "no power",
  "unplugged": "screen unplugged",

  "accounts": "Accounts",
  "bank": "Bank",
  "the-bank": "the bank",
  "in-the-pot": "Pot",
  "the-pot": "the pot",
  "out": "out",
  "of-card": "(on card {card})",
  "chart": "Balances. Moves so far: {moves}. "
    + "Most: {most}, {most-amount}. Least: {least}, {least-amount}.",
  "chart-new": "Balances: nothing has moved yet.",
  "moves": "moves: {moves}",

  "history": "History",
  "pays": "{payer} pays {payee} {amount}",
  "salary": "{payee} passes GO and gets {amount}",
  "opening": "{payee} opens with {amount}",
  "openings": "The game opens: {count} cards have {amount} each",
  "reversal": "Taken back: {amount} from {payer} to {payee}",
  "return": "{payer} is forgotten; {amount} goes back to the bank",
  "bankruptcy": "{payer} is bankrupt; {payee} gets {amount}",
  "mortgage": "{payer} lifts a mortgage for {amount}",
  "interest": "{payer} pays {amount} interest on a mortgage",
  "rent": "{payer} pays {payee} {amount} for a utility",
  "fine": "{payer} pays {payee} a fine of {amount}",
  "sale": "{payee} sells buildings back for {amount}",
  "fight": "{payer} loses a fight and pays {payee} {amount}",
  "tax": "{payer} pays {amount} tax into the pot",
  "pot": "{payee} wins the pot: {amount}",
  "reversed": "(taken back)",
  "no-history": "Nothing yet.",

  "time": "Time",
  "since": "Since power on:",
  "pace": "How fast time passes",
  "pace-0": "Pause",
  "pace-n": "×{rate}",
  "skip": "Skip a minute",
  "time-held": "time held",
  "time-fast": "time ×{rate}",

  "faults": "Faults",
  "faults-text": "What can go wrong on a real table.",
  "cut": "Cut the power",
  "restore": "Put the power back",
  "fault-screen": "Unplug the screen",
  "fault-bounce": "Bouncing keys",
  "fault-noise": "Noisy reader",
  "fault-left": "Dead left reader",
  "fault-right": "Dead right reader",

  "recording": "Recording",
  "recording-text": "A recording begins on a new box with empty slots and its own money; "
    + "your game waits and comes back.",
  "record": "Start recording",
  "stop": "Stop recording",
  "save": "Save the script",
  "script": "The recorded script",

  "shortcuts": "Keyboard",
  "use-digits": "the digit keys",
  "use-comma": "the comma; the volume with no card in",
  "use-units": "the unit, which ends an amount",
  "use-C": "clear or take back; hold for a new game",
  "use-G": "GO, the salary",
  "use-F": "the banker’s other tasks: a digit chooses, F turns the page, C leaves",
  "use-put": "on a card: into the left or right slot",
  "use-take": "on a card: out of its slot",
  "use-pick": "on a card: pick it up, then choose a slot",
  "key-Escape": "Esc",
  "key-Enter": "Enter",
  "key-Space": "Space",
  "key-Delete": "Del",

  "refused-unknown": "The box does not know this action.",
  "refused-too-long": "That was too much at once.",
  "refused-too-often": "Too fast: something was left out.",
  "refused-slot-full": "There is a card in this slot.",
  "refused-too-late": "The line hung; nothing was done. Once more?",
  "refused-recording": "Not while recording.",
  "refused-not-here": "This box cannot do that.",

  "code": "The code that the terminal shows",
  "enter": "To the table",
  "wrong-code": "That is not the code. Look at the terminal again.",
};

const FRENCH = {
  "top": "Haut de la page",
  "table": "La table",
  "beside": "À côté de la boîte",
  "box": "La boîte",
  "edition": "édition {edition}",
  "edition-virtual": "édition {edition}, électronique virtuelle",
  "sound": "Son de cette page",
  "on-air": "Enregistrement",
  "lost": "Connexion perdue ; nouvel essai…",

  "receive": "reçoit",
  "pay": "paie",
  "slot-left": "Fente gauche (reçoit), {holds}",
  "slot-right": "Fente droite (paie), {holds}",
  "in-left": "Fente gauche : {card}. La retirer",
  "in-right": "Fente droite : {card}. La retirer",
  "empty": "vide",

  "cards": "Cartes",
  "card": "Carte {card}",
  "a-card": "carte {card}",
  "the-card": "la carte {card}",
  "stranger": "Inconnue {card}",
  "lies-left": "{card}, dans la fente gauche. La retirer",
  "lies-right": "{card}, dans la fente droite. La retirer",
  "hint": "Glissez une carte dans une fente, ou touchez la carte, puis la fente. "
    + "F : les autres tâches du banquier.",
  "pick-first": "Prenez d’abord une carte.",

  "unit-1": "le montant tel quel",
  "unit-1000": "milliers",
  "unit-1000000": "millions",
  "key-C": "C, effacer ou annuler ; maintenir 3 secondes pour une nouvelle partie",
  "key-G": "Départ, salaire",
  "key-F": "F, liste des autres tâches du banquier",
  "key-,": "virgule, ou volume sans carte",

  "screen-card": "carte {card}",
  "next-page": "F page suivante",
  "minutes-left": "minutes restantes : {minutes}",
  "asleep": "en veille",
  "no-power": "pas de courant",
  "unplugged": "écran débranché",

  "accounts": "Comptes",
  "bank": "Banque",
  "the-bank": "la banque",
  "in-the-pot": "Cagnotte",
  "the-pot": "la cagnotte",
  "out": "éliminée",
  "of-card": "(sur la carte {card})",
  "chart": "Soldes. Opérations : {moves}. "
    + "Maximum : {most}, {most-amount}. Minimum : {least}, {least-amount}.",
  "chart-new": "Soldes : rien n’a encore bougé.",
  "moves": "opérations : {moves}",

  "history": "Historique",
  "pays": "{payer} paie {amount} à {payee}",
  "salary": "{payee} passe par la case Départ et reçoit {amount}",
  "opening": "{payee} commence avec {amount}",
  "openings": "La partie commence : {count} cartes ont chacune {amount}",
  "reversal": "Annulé : {amount} de {payer} à {payee}",
  "return": "{payer} est oubliée ; {amount} reviennent à la banque",
  "bankruptcy": "{payer} fait faillite ; {payee} reçoit {amount}",
  "mortgage": "{payer} lève une hypothèque pour {amount}",
  "interest": "{payer} paie {amount} d’intérêts sur une hypothèque",
  "rent": "{payer} paie {amount} à {payee} pour un service public",
  "fine": "{payer} paie une amende de {amount} à {payee}",
  "sale": "{payee} revend des bâtiments pour {amount}",
  "fight": "{payer} perd un combat et paie {amount} à {payee}",
  "tax": "{payer} verse une taxe de {amount} à la cagnotte",
  "pot": "{payee} gagne la cagnotte : {amount}",
  "reversed": "(annulé)",
  "no-history": "Rien pour l’instant.",

  "time": "Temps",
  "since": "Depuis la mise sous tension :",
  "pace": "Vitesse du temps",
  "pace-0": "Pause",
  "pace-n": "×{rate}",
  "skip": "Sauter une minute",
  "time-held": "temps arrêté",
  "time-fast": "temps ×{rate}",

  "faults": "Pannes",
  "faults-text": "Ce qui peut arriver sur une vraie table.",
  "cut": "Couper le courant",
  "restore": "Remettre le courant",
  "fault-screen": "Débrancher l’écran",
  "fault-bounce": "Touches qui rebondissent",
  "fault-noise": "Lecteur perturbé",
  "fault-left": "Lecteur gauche muet",
  "fault-right": "Lecteur droit muet",

  "recording": "Enregistrer",
  "recording-text": "Un enregistrement commence sur une boîte neuve, aux fentes vides, "
    + "avec son propre argent ; votre partie attend et revient.",
  "record": "Commencer l’enregistrement",
  "stop": "Arrêter l’enregistrement",
  "save": "Télécharger le script",
  "script": "Le script enregistré",

  "shortcuts": "Clavier",
  "use-digits": "les chiffres",
  "use-comma": "la virgule ; le volume sans carte",
  "use-units": "l’unité, qui termine un montant",
  "use-C": "effacer ou annuler ; maintenir pour une nouvelle partie",
  "use-G": "case Départ, le salaire",
  "use-F": "les autres tâches du banquier : un chiffre choisit, F tourne la page, C quitte",
  "use-put": "sur une carte : dans la fente gauche ou droite",
  "use-take": "sur une carte : hors de sa fente",
  "use-pick": "sur une carte : la prendre, puis choisir une fente",
  "key-Escape": "Échap",
  "key-Enter": "Entrée",
  "key-Space": "Espace",
  "key-Delete": "Suppr",

  "refused-unknown": "La boîte ne connaît pas cette action.",
  "refused-too-long": "C’était trop à la fois.",
  "refused-too-often": "Trop vite : quelque chose a été ignoré.",
  "refused-slot-full": "Il y a une carte dans cette fente.",
  "refused-too-late": "La ligne était bloquée ; rien n’a été fait. Encore une fois ?",
  "refused-recording": "Pas pendant un enregistrement.",
  "refused-not-here": "Cette boîte ne sait pas faire cela.",

  "code": "Le code affiché dans le terminal",
  "enter": "Entrer",
  "wrong-code": "Ce n’est pas le code. Regardez encore le terminal.",
};

const WORDS = { en: ENGLISH, fr: FRENCH };

const wanted = (navigator.languages ?? [navigator.language]).map((tag) => tag.split("-")[0]);

export const language = wanted.find((tag) => tag in WORDS) ?? "en";

export const say = (name, values = {}) => sayIn(language, name, values);

// In the box's language, which need not be the page's.
export function sayIn(tongue, name, values = {}) {
  const text = (WORDS[tongue] ?? ENGLISH)[name] ?? name;
  return text.replace(/\{([\w-]+)\}/g, (_, key) => values[key]).replace(/ (?=[:;!?])/g, "\u00a0");
}

// Write the words into a page that names them.
export function fill(page) {
  page.documentElement.lang = language;
  for (const element of page.querySelectorAll("[data-word]")) {
    element.textContent = say(element.dataset.word);
  }
  for (const element of page.querySelectorAll("[data-name]")) {
    element.setAttribute("aria-label", say(element.dataset.name));
  }
}
