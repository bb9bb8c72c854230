// Original file: ../../proto/perception/v1/action_service.proto

import type { Target as _perception_v1_Target, Target__Output as _perception_v1_Target__Output } from '../../perception/v1/Target.js';
import type { ActionOptions as _perception_v1_ActionOptions, ActionOptions__Output as _perception_v1_ActionOptions__Output } from '../../perception/v1/ActionOptions.js';

export interface WaitForRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
  'element'?: (_perception_v1_Target | null);
  'text'?: (string);
  'url'?: (string);
  'vanished'?: (_perception_v1_Target | null);
  'settled'?: (boolean);
  'actionOptions'?: (_perception_v1_ActionOptions | null);
  'condition'?: "element"|"text"|"url"|"vanished"|"settled";
}

export interface WaitForRequest__Output {
  'sessionId': (string);
  'tabId': (string);
  'element'?: (_perception_v1_Target__Output | null);
  'text'?: (string);
  'url'?: (string);
  'vanished'?: (_perception_v1_Target__Output | null);
  'settled'?: (boolean);
  'actionOptions': (_perception_v1_ActionOptions__Output | null);
  'condition'?: "element"|"text"|"url"|"vanished"|"settled";
}
