// Original file: ../../proto/perception/v1/session_service.proto

import type { Settle as _perception_v1_Settle, Settle__Output as _perception_v1_Settle__Output } from '../../perception/v1/Settle.js';

export interface NavigationResult {
  'url'?: (string);
  'title'?: (string);
  'httpStatus'?: (number);
  'settle'?: (_perception_v1_Settle | null);
  'tabId'?: (string);
}

export interface NavigationResult__Output {
  'url': (string);
  'title': (string);
  'httpStatus': (number);
  'settle': (_perception_v1_Settle__Output | null);
  'tabId': (string);
}
