"""What random hands choose from: keys, amounts, cards, and instants at which something is over."""

from hypothesis import strategies as st

from tests.property.hands import ANYBODY, NOBODY, SLOTS

# Balances at which the big field changes its ways.
LANDMARKS = (
    *(0, 99_900, 99_999, 100_000, 100_001, 999_000, 999_900, 1_000_000, 1_000_100),
    *(99_999_000, 100_000_000, 123_456_000, 99_999_000_000),
)

KEYS = "0123456789,MKCGF"

# Entries that are good in one edition or another, or refused for reasons of their own.
AMOUNTS = (
    *("1M", "1,5M", "20M", "150K", "1500K", "0,5M", ",5M", "12,345M", "500M", "2000M", "1,5K"),
    *("1K", "2K", "10K", "200K", "0,1K", ",1K", "9K", "9,999K", "20,001M", "2001M", "200,1K"),
    *("0,05K", "0,15K", "1,2345M", "1,23456K", "0,12345M", "99999M", "123456K", "1,,5M"),
    *("M", "K", ",M", ",K", "0M", "0K", "0,M", "00K", "0,0M"),
)

# What a banker types apart from amounts.
GESTURES = (
    *("C", "CC", "CCC", "CCCC", "G", "GG", "GC", "GCG", "GCC", "5G", "5GC", "F", "5F"),
    *(",", ",,", "0", "0,", "1,5", "12345", "123456", "0,12345", "5C", "5CC", "5,,C", "MC", "MCC"),
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

# Four, seven and ten bytes, random ones, and some that look like another card.
ODD_CARDS = (
    *("04A1B2C3", "04E5A1B2", "04A1B2C3D4E5F6", "04A1B2C3D4E5F6A7B8C9"),
    *("08A1B2C3", "08000000", "08A1B2C3D4E5F6", "08A1B2C3D4E5F6A7B8C9"),
)

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
