"""Sessions: what one client's session holds, what it was shown, and how its tabs are used."""
