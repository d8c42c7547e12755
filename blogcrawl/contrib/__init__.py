"""Extractors of further papers, found by name; the default crawl asks them only where the rules
leave a field open.
"""
