"""From elements to what is shown: text for a language model, an annotated image for a person."""
