"""Comparisons: two sides paired by sample, and the changes from one run to another."""
