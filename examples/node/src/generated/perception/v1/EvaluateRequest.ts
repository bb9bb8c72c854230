// Original file: ../../proto/perception/v1/action_service.proto

import type { Target as _perception_v1_Target, Target__Output as _perception_v1_Target__Output } from '../../perception/v1/Target.js';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../google/protobuf/Duration.js';

// Original file: ../../proto/perception/v1/action_service.proto

export const _perception_v1_EvaluateRequest_Engine = {
  ENGINE_UNSPECIFIED: 'ENGINE_UNSPECIFIED',
  ENGINE_AUTO: 'ENGINE_AUTO',
  ENGINE_CDP: 'ENGINE_CDP',
  ENGINE_PLAYWRIGHT: 'ENGINE_PLAYWRIGHT',
} as const;

export type _perception_v1_EvaluateRequest_Engine =
  | 'ENGINE_UNSPECIFIED'
  | 0
  | 'ENGINE_AUTO'
  | 1
  | 'ENGINE_CDP'
  | 2
  | 'ENGINE_PLAYWRIGHT'
  | 3

export type _perception_v1_EvaluateRequest_Engine__Output = typeof _perception_v1_EvaluateRequest_Engine[keyof typeof _perception_v1_EvaluateRequest_Engine]

export interface EvaluateRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
  'expression'?: (string);
  'target'?: (_perception_v1_Target | null);
  'awaitPromise'?: (boolean);
  'timeout'?: (_google_protobuf_Duration | null);
  'engine'?: (_perception_v1_EvaluateRequest_Engine);
  'requestId'?: (string);
}

export interface EvaluateRequest__Output {
  'sessionId': (string);
  'tabId': (string);
  'expression': (string);
  'target': (_perception_v1_Target__Output | null);
  'awaitPromise': (boolean);
  'timeout': (_google_protobuf_Duration__Output | null);
  'engine': (_perception_v1_EvaluateRequest_Engine__Output);
  'requestId': (string);
}
