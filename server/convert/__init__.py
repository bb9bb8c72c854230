"""Between the wire's messages and the project's values, by message family. Nothing is decided here."""
