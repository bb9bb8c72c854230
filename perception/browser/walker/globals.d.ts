// What the walker puts into its world, for the service to call.
declare var perceptionWalker: Record<string, Function>;
declare var perceptionRecorder: Record<string, Function>;
