"""The panel in the browser: its server and its page.

It may import: firmware, hal.*, hal.display, hal.pi.debounce, sim.board, sim.learn, sim.panel,
sim.script.language, aiohttp.
"""
