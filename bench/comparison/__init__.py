"""Comparisons: two sides paired by sample, and two stored runs."""
