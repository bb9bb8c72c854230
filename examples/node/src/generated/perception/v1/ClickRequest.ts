// Original file: ../../proto/perception/v1/action_service.proto

import type { Target as _perception_v1_Target, Target__Output as _perception_v1_Target__Output } from '../../perception/v1/Target.js';
import type { MouseButton as _perception_v1_MouseButton, MouseButton__Output as _perception_v1_MouseButton__Output } from '../../perception/v1/MouseButton.js';
import type { Modifier as _perception_v1_Modifier, Modifier__Output as _perception_v1_Modifier__Output } from '../../perception/v1/Modifier.js';
import type { ActionOptions as _perception_v1_ActionOptions, ActionOptions__Output as _perception_v1_ActionOptions__Output } from '../../perception/v1/ActionOptions.js';

export interface ClickRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
  'target'?: (_perception_v1_Target | null);
  'button'?: (_perception_v1_MouseButton);
  'clickCount'?: (number);
  'modifiers'?: (_perception_v1_Modifier)[];
  'requestId'?: (string);
  'actionOptions'?: (_perception_v1_ActionOptions | null);
  'checked'?: (boolean);
  '_checked'?: "checked";
}

export interface ClickRequest__Output {
  'sessionId': (string);
  'tabId': (string);
  'target': (_perception_v1_Target__Output | null);
  'button': (_perception_v1_MouseButton__Output);
  'clickCount': (number);
  'modifiers': (_perception_v1_Modifier__Output)[];
  'requestId': (string);
  'actionOptions': (_perception_v1_ActionOptions__Output | null);
  'checked'?: (boolean);
  '_checked'?: "checked";
}
