// Original file: ../../proto/perception/v1/action_service.proto

import type { ActionResult as _perception_v1_ActionResult, ActionResult__Output as _perception_v1_ActionResult__Output } from '../../perception/v1/ActionResult.js';
import type { Settle as _perception_v1_Settle, Settle__Output as _perception_v1_Settle__Output } from '../../perception/v1/Settle.js';

export interface WaitForResponse {
  'result'?: (_perception_v1_ActionResult | null);
  'settle'?: (_perception_v1_Settle | null);
}

export interface WaitForResponse__Output {
  'result': (_perception_v1_ActionResult__Output | null);
  'settle': (_perception_v1_Settle__Output | null);
}
