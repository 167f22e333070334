"""The values that random play chooses from: keys, amounts, cards and times."""

from hypothesis import strategies as st

from tests.campaign.random_play.comparing_machine import EMPTY, UNCHANGED
from tests.campaign.storm.observation import SLOTS
from tests.campaign.storm.player_profiles import ODD_UIDS

# Balances at which the format of the big field changes.
LANDMARKS = (
    *(0, 99_900, 99_999, 100_000, 100_001, 999_000, 999_900, 1_000_000, 1_000_100),
    *(99_999_000, 100_000_000, 123_456_000, 99_999_000_000),
)

SALARY_KEYS = ("G", "GG", "GCG", "GCC", "5G", "1MG", "1MGCCG", "GFG", "G,G")

# Moves, or attempts, to be taken back.
GOOD_MOVES = ("", "G", "150K", "1500M", "1M", "10M", "1,5K", "10M10M", "1M2M", "G1M", "1KG", "5")
BEFORE_C = ("", "5", "M", "G", "1M")

# What may happen between a new card and its undo.
NEW_GAME = "new game"
POWER_CUT = "power cut"
MEANWHILE = ("", "", "5", "G", "GC", "1MC", NEW_GAME, POWER_CUT)

# The slots that hold a player's card before an action.
OCCUPIED = (UNCHANGED, UNCHANGED, UNCHANGED, EMPTY, "left", "right", "left right", "right left")

# Few cards most of the time, so that a card often returns.
PLAYERS = (1, 2, 1, 2, 3, 4, 1, 2, 5, 6, 7, 8, 9, 10)

# In milliseconds, including the instants at which something ends [G4].
PAUSES = (0, 0, 0, 1, 500, 999, 1000, 1001, 1500, 1999, 2000, 2001, 3000)
LONG_WAITS = (10_000, 57_000, 58_000, 59_000, 59_999, 60_000, 60_001, 61_000, 3_600_000)
HOLDS = (0, 1, 500, 999, 1000, 1500, 2000, 2999, 3000, 3001, 5000, 5001, 59_999, 60_000, 61_000)

pauses = st.sampled_from(PAUSES) | st.integers(0, 4000)
occupied_slots = st.sampled_from(OCCUPIED)
repeats = st.sampled_from((1, 1, 1, 2, 8))
cards = st.sampled_from([str(card) for card in PLAYERS])
odd_cards = st.sampled_from([f"uid:{digits}" for digits in ODD_UIDS])
any_cards = cards | odd_cards
slots = st.sampled_from(SLOTS)
