"""Ablation: each mechanism of induction and extraction is switched off in turn and what gets worse
is measured.
"""
