// Original file: ../../proto/perception/v1/action_service.proto

import type { Target as _perception_v1_Target, Target__Output as _perception_v1_Target__Output } from '../../perception/v1/Target.js';
import type { ActionOptions as _perception_v1_ActionOptions, ActionOptions__Output as _perception_v1_ActionOptions__Output } from '../../perception/v1/ActionOptions.js';

export interface HoverRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
  'target'?: (_perception_v1_Target | null);
  'requestId'?: (string);
  'actionOptions'?: (_perception_v1_ActionOptions | null);
}

export interface HoverRequest__Output {
  'sessionId': (string);
  'tabId': (string);
  'target': (_perception_v1_Target__Output | null);
  'requestId': (string);
  'actionOptions': (_perception_v1_ActionOptions__Output | null);
}
