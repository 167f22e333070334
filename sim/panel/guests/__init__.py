"""Who may use the panel, and how much of it: host names, codes, addresses, connections, pages.

It may import: aiohttp.
"""
