"""Messages of the service as the web application reads them: plain JSON, with only what it shows.

Rule 1: a text of a page stays a text. It becomes a text node there, and never markup.
"""
