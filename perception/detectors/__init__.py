"""What looks at pixels: the detector protocol, the registry of plug-ins, and the pool that runs them."""
