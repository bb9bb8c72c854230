// Original file: ../../proto/perception/v1/action_service.proto

import type { Value as _google_protobuf_Value, Value__Output as _google_protobuf_Value__Output } from '../../google/protobuf/Value.js';
import type { _perception_v1_EvaluateRequest_Engine, _perception_v1_EvaluateRequest_Engine__Output } from '../../perception/v1/EvaluateRequest.js';
import type { Timing as _perception_v1_Timing, Timing__Output as _perception_v1_Timing__Output } from '../../perception/v1/Timing.js';
import type { Dialog as _perception_v1_Dialog, Dialog__Output as _perception_v1_Dialog__Output } from '../../perception/v1/Dialog.js';

export interface EvaluateResponse {
  'value'?: (_google_protobuf_Value | null);
  'engine'?: (_perception_v1_EvaluateRequest_Engine);
  'fallbackReason'?: (string);
  'exception'?: (string);
  'exceptionStack'?: (string);
  'timings'?: (_perception_v1_Timing)[];
  'dialogs'?: (_perception_v1_Dialog)[];
}

export interface EvaluateResponse__Output {
  'value': (_google_protobuf_Value__Output | null);
  'engine': (_perception_v1_EvaluateRequest_Engine__Output);
  'fallbackReason': (string);
  'exception': (string);
  'exceptionStack': (string);
  'timings': (_perception_v1_Timing__Output)[];
  'dialogs': (_perception_v1_Dialog__Output)[];
}
