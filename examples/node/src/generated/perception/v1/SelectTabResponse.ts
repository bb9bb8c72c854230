// Original file: ../../proto/perception/v1/session_service.proto

import type { Tab as _perception_v1_Tab, Tab__Output as _perception_v1_Tab__Output } from '../../perception/v1/Tab.js';

export interface SelectTabResponse {
  'tab'?: (_perception_v1_Tab | null);
}

export interface SelectTabResponse__Output {
  'tab': (_perception_v1_Tab__Output | null);
}
