"""Profiles: states that the service keeps by name, encrypted."""
