"""Evaluation of rules over a timeline: conditions, captures, time windows, templates, findings."""
