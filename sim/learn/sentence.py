"""A sentence of the trainer, in both languages."""

from typing import NamedTuple

from hal.display.messages import Language


class Sentence(NamedTuple):
    """The English and the French text; both may have the same {fields}."""

    en: str
    fr: str

    def translated(self, language: Language) -> str:
        return self.fr if language is Language.FRENCH else self.en

    def filled(self, **fields: "str | int | Sentence") -> "Sentence":
        """Fill in the fields; a sentence is filled in by language."""
        english, french = (
            {name: getattr(value, tag, value) for name, value in fields.items()}
            for tag in self._fields
        )
        return Sentence(self.en.format(**english), self.fr.format(**french))

    def then(self, other: "Sentence") -> "Sentence":
        """Add another sentence after this one."""
        return Sentence(f"{self.en} {other.en}", f"{self.fr} {other.fr}")
