"""A search for hazards: keys that do to money what the screen did not announce.

> A key does what the screen announced, or it does nothing and says so.

``player`` reaches states of the box at random. In each of them every key is tried on a copy of the
box, and what it does is compared with what a banker could know: the screen (``sight``), and what
the banker remembers of the screens before (``memory``). ``announcement`` says from that alone what
a key may do; ``judgement`` compares. Neither asks the bank what a key does.

``old_rules`` has rules of earlier editions, which the search must find when they are put back.
"""
