"""Text → tree (`parser`), tree → text (`printer`); the grammar is `rulebook.lark`, the tree `tree.py`."""
