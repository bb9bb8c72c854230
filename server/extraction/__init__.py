"""What is read of a page for a program: what can be acted on, and the content."""
