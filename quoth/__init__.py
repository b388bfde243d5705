"""Quoth: what AI engines say about your brand."""

__version__ = "0.1.0.dev0"
