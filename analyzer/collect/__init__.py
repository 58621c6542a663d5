"""Collect what one node contributes to an incident. Runs without the analyzer: Python 3.9 and, for some facts,
psutil.
"""
