"""Tests of blogcrawl; they mirror the package."""
