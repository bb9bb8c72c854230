// Original file: ../../proto/perception/v1/action_service.proto

import type { ActionResult as _perception_v1_ActionResult, ActionResult__Output as _perception_v1_ActionResult__Output } from '../../perception/v1/ActionResult.js';

export interface TypeTextResponse {
  'result'?: (_perception_v1_ActionResult | null);
}

export interface TypeTextResponse__Output {
  'result': (_perception_v1_ActionResult__Output | null);
}
