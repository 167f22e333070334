"""What random hands choose from: keys, amounts, cards, and instants at which something is over."""

from hypothesis import strategies as st

from sim.storm.habits import ODD_CARDS
from sim.storm.seen import SLOTS
from tests.property.hands import ANYBODY, NOBODY

# Balances at which the big field changes its ways.
LANDMARKS = (
    *(0, 99_900, 99_999, 100_000, 100_001, 999_000, 999_900, 1_000_000, 1_000_100),
    *(99_999_000, 100_000_000, 123_456_000, 99_999_000_000),
)

GOES = ("G", "GG", "GCG", "GCC", "5G", "1MG", "1MGCCG", "GFG", "G,G")

# Moves, or attempts, to be taken back.
GOOD_MOVES = ("", "G", "150K", "1500M", "1M", "10M", "1,5K", "10M10M", "1M2M", "G1M", "1KG", "5")
BEFORE_C = ("", "5", "M", "G", "1M")

# What may come between a new card and second thoughts.
NEW_GAME = "new game"
POWER_CUT = "power cut"
MEANWHILE = ("", "", "5", "G", "GC", "1MC", NEW_GAME, POWER_CUT)

# Whose turn it is, by the slots that hold a player's card then.
TURNS = (ANYBODY, ANYBODY, ANYBODY, NOBODY, "left", "right", "left right", "right left")

# Few cards most of the time, so that a card often comes back.
PLAYERS = (1, 2, 1, 2, 3, 4, 1, 2, 5, 6, 7, 8, 9, 10)

# In milliseconds, with the instants at which something is over [G4].
PAUSES = (0, 0, 0, 1, 500, 999, 1000, 1001, 1500, 1999, 2000, 2001, 3000)
LONG_WAITS = (10_000, 57_000, 58_000, 59_000, 59_999, 60_000, 60_001, 61_000, 3_600_000)
HOLDS = (0, 1, 500, 999, 1000, 1500, 2000, 2999, 3000, 3001, 5000, 5001, 59_999, 60_000, 61_000)

pauses = st.sampled_from(PAUSES) | st.integers(0, 4000)
turns = st.sampled_from(TURNS)
often = st.sampled_from((1, 1, 1, 2, 8))
cards = st.sampled_from([str(card) for card in PLAYERS])
odd_cards = st.sampled_from([f"uid:{digits}" for digits in ODD_CARDS])
any_cards = cards | odd_cards
slots = st.sampled_from(SLOTS)
