"""Scripts of clients under one deadline, and recovery of pages that hang."""
