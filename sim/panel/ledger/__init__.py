"""What the panel's page shows of a ledger: accounts, postings, the chart.

It may import: firmware.bank, firmware.reports, firmware.storage, firmware.wording, sim.board.
"""
