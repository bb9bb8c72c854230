// Original file: ../../proto/perception/v1/action_service.proto

import type { ActionResult as _perception_v1_ActionResult, ActionResult__Output as _perception_v1_ActionResult__Output } from '../../perception/v1/ActionResult.js';
import type { Scroll as _perception_v1_Scroll, Scroll__Output as _perception_v1_Scroll__Output } from '../../perception/v1/Scroll.js';

export interface ScrollResponse {
  'result'?: (_perception_v1_ActionResult | null);
  'scroll'?: (_perception_v1_Scroll | null);
  'moved'?: (boolean);
}

export interface ScrollResponse__Output {
  'result': (_perception_v1_ActionResult__Output | null);
  'scroll': (_perception_v1_Scroll__Output | null);
  'moved': (boolean);
}
