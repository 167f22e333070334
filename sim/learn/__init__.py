"""The trainer: ten tasks that lead a new banker, and what judges them.

A task is a script in ``tasks``: comments for the banker, the set-up, a model solution, the goal.
``lesson`` compares what the box shows and holds with the goal; it has no user interface.
``learn_prompt`` is the one in a terminal. The page's is in ``sim/panel``.

It may import: firmware.bank, firmware.user_error, hal.display, sim.board, sim.script.
"""
