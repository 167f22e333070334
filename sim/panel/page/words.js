// Every text of the page, in English and French, and the language of this browser.
// The caller of say() fills in the {names} of a text.

const LANGUAGES = ["en", "fr"]; // in the order of the texts

export const TEXTS = {
  "top": ["Top of the page", "Haut de la page"],
  "table": ["The table", "La table"],
  "beside": ["Beside the box", "À côté de la boîte"],
  "box": ["The box", "La boîte"],
  "edition": ["{edition} edition", "édition {edition}"],
  "edition-virtual": ["{edition} edition, virtual board",
    "édition {edition}, électronique virtuelle"],
  "sound": ["Sound on this page", "Son de cette page"],
  "recording-mark": ["Recording", "Enregistrement"],
  "lost": ["Connection lost; trying again…", "Connexion perdue ; nouvel essai…"],
  "replaced": ["Too many pages are open, so this one was closed. Reload it to use it again.",
    "Trop de pages sont ouvertes : celle-ci est fermée. Rechargez-la pour vous en servir."],

  "learn": ["Learn", "Apprendre"],
  "lesson-number": ["Task {number} of {count}", "Exercice {number} sur {count}"],
  "lesson-hint": ["Hint", "Indice"],
  "lesson-again": ["Start again", "Recommencer"],
  "lesson-skip": ["Skip", "Passer"],
  "lesson-next": ["Next task", "Suivant"],
  "lesson-leave": ["Leave", "Quitter"],
  "lesson-last": ["That was the last task. Leave takes you back to your game.",
    "C’était le dernier exercice. Quitter ramène à votre partie."],

  "receive": ["receive", "reçoit"],
  "pay": ["pay", "paie"],
  "slot-left": ["Left slot, receives: {holds}", "Fente gauche (reçoit), {holds}"],
  "slot-right": ["Right slot, pays: {holds}", "Fente droite (paie), {holds}"],
  "in-left": ["Left slot: {card}. Take it out", "Fente gauche : {card}. La retirer"],
  "in-right": ["Right slot: {card}. Take it out", "Fente droite : {card}. La retirer"],
  "empty": ["empty", "vide"],

  "cards": ["Cards", "Cartes"],
  "card": ["Card {card}", "Carte {card}"],
  "a-card": ["card {card}", "carte {card}"],
  "the-card": ["card {card}", "la carte {card}"],
  "stranger": ["Stranger {card}", "Inconnue {card}"],
  "lies-left": ["{card}, in the left slot. Take it out",
    "{card}, dans la fente gauche. La retirer"],
  "lies-right": ["{card}, in the right slot. Take it out",
    "{card}, dans la fente droite. La retirer"],
  "hint": [
    "Drag a card into a slot, or tap card and slot. F lists the banker’s other tasks.",
    "Glissez une carte dans une fente, ou touchez la carte, puis la fente. "
      + "F : les autres tâches du banquier."],
  "picked": ["{card} is picked up: ← left slot, → right slot, Esc puts it down.",
    "{card} est prise : ← fente gauche, → fente droite, Échap la repose."],
  "pick-first": ["Pick up a card first.", "Prenez d’abord une carte."],

  "keypad": ["Keypad", "Pavé de touches"],
  "unit-1": ["the amount as typed", "le montant tel quel"],
  "unit-1000": ["thousands", "milliers"],
  "unit-1000000": ["millions", "millions"],
  "key-C": ["C, clear or take back; hold 3 seconds for a new game",
    "C, effacer ou annuler ; maintenir 3 secondes pour une nouvelle partie"],
  "key-G": ["GO ←, salary", "GO ←, salaire"],
  "key-F": ["F, list of the banker’s other tasks", "F, liste des autres tâches du banquier"],
  "key-,": ["comma, or volume with no card in", "virgule, ou volume sans carte"],

  "pays": ["{payer} pays {payee}", "{payer} paie {payee}"],
  "paid": ["{payer} pays {payee}, {amount}", "{payer} paie {amount} à {payee}"],
  "undone": ["taken back: {amount}", "annulé : {amount}"],
  "next-page": ["F next page", "F page suivante"],
  "minutes-left": ["minutes left: {minutes}", "minutes restantes : {minutes}"],
  "asleep": ["asleep", "en veille"],
  "starting": ["starting", "démarrage"],
  "no-power": ["no power", "pas de courant"],
  "unplugged": ["screen unplugged", "écran débranché"],

  "accounts": ["Accounts", "Comptes"],
  "bank": ["Bank", "Banque"],
  "the-bank": ["the bank", "la banque"],
  "in-the-pot": ["Pot", "Cagnotte"],
  "the-pot": ["the pot", "la cagnotte"],
  "out": ["OUT", "ÉLIMINÉ"], // as on the screen
  "winner": ["WINNER", "VAINQUEUR"],
  "worth": ["worth {worth}", "vaut {worth}"],
  "not-counted": ["not counted", "à compter"],
  "rename": ["{card}, change the name", "{card}, changer le nom"],
  "name-of": ["Name of card {card}", "Nom de la carte {card}"],
  "name-hint": ["Up to {letters} letters. Leave it empty for no name.",
    "{letters} lettres au plus. Laissez vide pour ne pas donner de nom."],
  "save-name": ["Save", "Valider"],
  "cancel": ["Cancel", "Annuler"],
  "named": ["Card {card} is called {name}.", "La carte {card} s’appelle {name}."],
  "unnamed": ["Card {card} has no name.", "La carte {card} n’a pas de nom."],
  "of-card": ["(on card {card})", "(sur la carte {card})"],
  "chart": [
    "Balances. Moves so far: {moves}. Most: {most}, {most-amount}. Least: {least}, {least-amount}.",
    "Soldes. Opérations : {moves}. "
      + "Maximum : {most}, {most-amount}. Minimum : {least}, {least-amount}."],
  "moves": ["moves: {moves}", "opérations : {moves}"],

  "history": ["History", "Historique"],
  "openings": ["The game opens: {count} cards have {amount} each",
    "La partie commence : {count} cartes ont chacune {amount}"],
  "reversed": ["(taken back)", "(annulé)"],
  "older": ["Older moves", "Opérations plus anciennes"],
  "no-history": ["Nothing yet.", "Rien pour l’instant."],

  "time": ["Time", "Temps"],
  "since": ["Since power on:", "Depuis la mise sous tension :"],
  "pace": ["How fast time passes", "Vitesse du temps"],
  "pace-0": ["Pause", "Pause"],
  "pace-n": ["×{rate}", "×{rate}"],
  "skip": ["Skip a minute", "Sauter une minute"],
  "time-held": ["time stopped", "temps arrêté"],
  "time-fast": ["time ×{rate}", "temps ×{rate}"],

  "faults": ["Faults", "Pannes"],
  "faults-text": ["What can go wrong on a real table.", "Ce qui peut arriver sur une vraie table."],
  "cut": ["Cut the power", "Couper le courant"],
  "restore": ["Restore the power", "Rétablir le courant"],
  "fault-screen": ["Unplug the screen", "Débrancher l’écran"],
  "fault-bounce": ["Bouncing keys", "Touches qui rebondissent"],
  "fault-noise": ["Noisy reader", "Lecteur perturbé"],
  "fault-left": ["Dead left reader", "Lecteur gauche muet"],
  "fault-right": ["Dead right reader", "Lecteur droit muet"],

  "recording": ["Recording", "Enregistrer"],
  "recording-text": [
    "A recording begins on a new box with empty slots and its own money; "
      + "your game waits and comes back.",
    "Un enregistrement commence sur une boîte neuve, aux fentes vides, avec son propre argent ; "
      + "votre partie attend et revient."],
  "record": ["Start recording", "Commencer l’enregistrement"],
  "stop": ["Stop recording", "Arrêter l’enregistrement"],
  "save": ["Save the script", "Télécharger le script"],
  "script": ["The recorded script", "Le script enregistré"],

  "shortcuts": ["Keyboard", "Clavier"],
  "use-digits": ["the digit keys", "les chiffres"],
  "use-comma": ["the comma; the volume with no card in", "la virgule ; le volume sans carte"],
  "use-units": ["the unit, which ends an amount", "l’unité, qui termine un montant"],
  "use-C": ["clear or take back; hold for a new game",
    "effacer ou annuler ; maintenir pour une nouvelle partie"],
  "use-G": ["GO ←, the salary", "GO ←, le salaire (case Départ)"],
  "use-F": ["the banker’s other tasks: a digit chooses, F turns the page, C leaves",
    "les autres tâches du banquier : un chiffre choisit, F tourne la page, C quitte"],
  "use-tab": ["from the keys to the cards; from there to the panels",
    "des touches aux cartes ; de là aux panneaux"],
  "use-arrows": ["to the next key or card", "à la touche ou à la carte suivante"],
  "use-pick": ["on a card: pick it up, or take it out of its slot",
    "sur une carte : la prendre, ou la retirer de sa fente"],
  "use-put": ["once it is picked up: into the left or right slot",
    "quand elle est prise : dans la fente gauche ou droite"],
  "use-take": ["on a card: out of its slot", "sur une carte : hors de sa fente"],
  "key-Escape": ["Esc", "Échap"],
  "key-Enter": ["Enter", "Entrée"],
  "key-Space": ["Space", "Espace"],
  "key-Delete": ["Del", "Suppr"],
  "key-Tab": ["Tab", "Tab"],

  "refused-unknown": ["The box does not know this action.",
    "La boîte ne connaît pas cette action."],
  "refused-too-long": ["The message was too long.", "Le message était trop long."],
  "refused-too-often": ["Too fast: an action was ignored.",
    "Trop vite : une action a été ignorée."],
  "refused-slot-full": ["There is a card in this slot.", "Il y a une carte dans cette fente."],
  "refused-too-late": ["The connection was too slow; nothing was done. Try again.",
    "La connexion était trop lente ; rien n’a été fait. Réessayez."],
  "refused-recording": ["Not while recording.", "Pas pendant un enregistrement."],
  "refused-learning": ["Not during a task: leave the tasks first.",
    "Pas pendant un exercice : quittez d’abord les exercices."],
  "refused-not-here": ["This box cannot do that.", "Cette boîte ne sait pas faire cela."],
  "refused-not-a-name": [
    "A name has up to {letters} letters, with single spaces, hyphens or apostrophes between them.",
    "Un nom a {letters} lettres au plus, séparées au besoin par une espace, un trait d’union "
      + "ou une apostrophe."],
  "refused-no-such-card": ["The box does not know this card any more.",
    "La boîte ne connaît plus cette carte."],
  "refused-no-power": ["Not without power.", "Pas sans courant."],
  "refused-not-written": ["The ledger cannot be written; the name was not saved.",
    "Le registre ne peut pas être écrit ; le nom n’a pas été enregistré."],

  "code": ["The code that the terminal shows", "Le code affiché dans le terminal"],
  "enter": ["Continue", "Continuer"],
  "wrong-code": ["That is not the code. Look at the terminal again.",
    "Ce n’est pas le code. Regardez encore le terminal."],
};

const wanted = (navigator.languages ?? [navigator.language]).map((tag) => tag.split("-")[0]);

export const language = wanted.find((tag) => LANGUAGES.includes(tag)) ?? "en";

export const say = (name, values = {}) => sayIn(language, name, values);

// Add the server's texts for the purposes of moves: { purpose: { en: …, fr: … } }.
export function learnPurposes(sentences) {
  for (const [purpose, texts] of Object.entries(sentences)) {
    TEXTS[`purpose-${purpose}`] = LANGUAGES.map((tag) => texts[tag]);
  }
}

// A text in a given language: the box's may differ from the page's.
export function sayIn(chosen, name, values = {}) {
  const text = TEXTS[name]?.[Math.max(0, LANGUAGES.indexOf(chosen))] ?? name;
  return text.replace(/\{([\w-]+)\}/g, (_, key) => values[key]).replace(/ (?=[:;!?])/g, "\u00a0");
}

// Fill in the texts that the page names.
export function fill(page) {
  page.documentElement.lang = language;
  for (const element of page.querySelectorAll("[data-word]")) {
    element.textContent = say(element.dataset.word);
  }
  for (const element of page.querySelectorAll("[data-name]")) {
    element.setAttribute("aria-label", say(element.dataset.name));
  }
}
