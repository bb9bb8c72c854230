"""The published figures: suites run on the commit that is checked out, and the documents made from what they found."""
