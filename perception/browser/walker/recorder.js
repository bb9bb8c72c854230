// The recorder: the functions that the service calls in a separate world while a recording runs.

import { recorder } from './recorder/recording.js';

globalThis.perceptionRecorder = recorder;
