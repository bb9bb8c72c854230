"""Checks a changed script of a subroutine against its recordings, without any site: it must do what was recorded."""
