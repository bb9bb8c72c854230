// Original file: ../../proto/perception/v1/action_service.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../google/protobuf/Duration.js';

export interface ActionOptions {
  'settleTimeout'?: (_google_protobuf_Duration | null);
  'skipDiff'?: (boolean);
}

export interface ActionOptions__Output {
  'settleTimeout': (_google_protobuf_Duration__Output | null);
  'skipDiff': (boolean);
}
