// What the walker and the recorder put into their worlds, for the service to call.
declare var perceptionWalker: Record<string, Function>;
declare var perceptionRecorder: Record<string, Function>;
