"""Measures the product as it is run: its own commands, its embedded database, real HTTP."""
