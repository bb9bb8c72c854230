"""What tabs show, live, for people who watch: one screencast for each watched tab, shared by all who watch it."""
