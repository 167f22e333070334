"""The hardware, as the bank sees it: parts as protocols, what they tell, what they are told."""
