"""The simulators' ten stock cards.

Their UIDs have all three lengths that exist: four, seven and ten bytes.
"""

from firmware.bank.edition import Edition

STOCK = tuple(
    bytes.fromhex(uid)
    for uid in (
        "A1C0FFEE",
        "B25EED01",
        "C30DDBA1",
        "D4BA5E02",
        "04E5A1B2C3D405",
        "04F6A1B2C3D406",
        "0417A1B2C3D407",
        "0428A1B2C3D408",
        "0439A1B2C3D409",
        "044AA1B2C3D4E5F6070A",
    )
)


def players(edition: Edition) -> tuple[bytes, ...]:
    """The stock cards that a box of this edition knows from the start."""
    return STOCK[: edition.cards]
