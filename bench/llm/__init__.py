"""A language model that chooses elements, by an OpenAI-compatible endpoint."""
