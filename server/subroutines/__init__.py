"""Running subroutines: a script's calls, made one by one on a tab."""
