"""The eyes and hands of web agents: a vision-assisted perception service over gRPC."""
