// Original file: ../../proto/perception/v1/session_service.proto

import type { SessionOptions as _perception_v1_SessionOptions, SessionOptions__Output as _perception_v1_SessionOptions__Output } from '../../perception/v1/SessionOptions.js';

export interface CreateSessionRequest {
  'options'?: (_perception_v1_SessionOptions | null);
  'url'?: (string);
  'cdpEndpoint'?: (string);
  'requestId'?: (string);
}

export interface CreateSessionRequest__Output {
  'options': (_perception_v1_SessionOptions__Output | null);
  'url': (string);
  'cdpEndpoint': (string);
  'requestId': (string);
}
