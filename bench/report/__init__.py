"""What a run found, as one value; as HTML for people, Markdown for notes and JSON for programs."""
