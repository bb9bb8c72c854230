// Original file: ../../proto/perception/v1/session_service.proto

import type { Tab as _perception_v1_Tab, Tab__Output as _perception_v1_Tab__Output } from '../../perception/v1/Tab.js';

export interface ListTabsResponse {
  'tabs'?: (_perception_v1_Tab)[];
}

export interface ListTabsResponse__Output {
  'tabs': (_perception_v1_Tab__Output)[];
}
