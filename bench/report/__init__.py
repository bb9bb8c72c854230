"""The findings of a run as one value; as HTML for people, Markdown for notes and JSON for programs."""
