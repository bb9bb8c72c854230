"""Who drives a session: its agent, or a person who takes control for a while."""
