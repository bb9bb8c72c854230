// Original file: ../../proto/perception/v1/session_service.proto

import type { WaitUntil as _perception_v1_WaitUntil, WaitUntil__Output as _perception_v1_WaitUntil__Output } from '../../perception/v1/WaitUntil.js';

export interface GoForwardRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
  'waitUntil'?: (_perception_v1_WaitUntil);
}

export interface GoForwardRequest__Output {
  'sessionId': (string);
  'tabId': (string);
  'waitUntil': (_perception_v1_WaitUntil__Output);
}
