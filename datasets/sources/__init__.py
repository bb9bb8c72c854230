"""Sources of samples: fetches packages, serves their pages on loopback, and renders them."""
