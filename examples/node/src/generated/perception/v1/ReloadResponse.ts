// Original file: ../../proto/perception/v1/session_service.proto

import type { NavigationResult as _perception_v1_NavigationResult, NavigationResult__Output as _perception_v1_NavigationResult__Output } from '../../perception/v1/NavigationResult.js';

export interface ReloadResponse {
  'result'?: (_perception_v1_NavigationResult | null);
}

export interface ReloadResponse__Output {
  'result': (_perception_v1_NavigationResult__Output | null);
}
