// Original file: ../../proto/perception/v1/perception_service.proto

import type { Mode as _perception_v1_Mode, Mode__Output as _perception_v1_Mode__Output } from '../../perception/v1/Mode.js';
import type { Engine as _perception_v1_Engine, Engine__Output as _perception_v1_Engine__Output } from '../../perception/v1/Engine.js';
import type { Scope as _perception_v1_Scope, Scope__Output as _perception_v1_Scope__Output } from '../../perception/v1/Scope.js';
import type { View as _perception_v1_View, View__Output as _perception_v1_View__Output } from '../../perception/v1/View.js';
import type { Target as _perception_v1_Target, Target__Output as _perception_v1_Target__Output } from '../../perception/v1/Target.js';
import type { TextStyle as _perception_v1_TextStyle, TextStyle__Output as _perception_v1_TextStyle__Output } from '../../perception/v1/TextStyle.js';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../google/protobuf/Duration.js';

export interface SnapshotOptions {
  'mode'?: (_perception_v1_Mode);
  'engine'?: (_perception_v1_Engine);
  'scope'?: (_perception_v1_Scope);
  'view'?: (_perception_v1_View);
  'maxTokens'?: (number);
  'detectors'?: (string)[];
  'root'?: (_perception_v1_Target | null);
  'includeSelectors'?: (boolean);
  'style'?: (_perception_v1_TextStyle);
  'settleTimeout'?: (_google_protobuf_Duration | null);
  'revealSensitive'?: (boolean);
}

export interface SnapshotOptions__Output {
  'mode': (_perception_v1_Mode__Output);
  'engine': (_perception_v1_Engine__Output);
  'scope': (_perception_v1_Scope__Output);
  'view': (_perception_v1_View__Output);
  'maxTokens': (number);
  'detectors': (string)[];
  'root': (_perception_v1_Target__Output | null);
  'includeSelectors': (boolean);
  'style': (_perception_v1_TextStyle__Output);
  'settleTimeout': (_google_protobuf_Duration__Output | null);
  'revealSensitive': (boolean);
}
