"""The rpcs, one module for each service. What a module leaves out of its service answers UNIMPLEMENTED."""
