// Original file: ../../proto/perception/v1/perception_service.proto

import type { SnapshotOptions as _perception_v1_SnapshotOptions, SnapshotOptions__Output as _perception_v1_SnapshotOptions__Output } from '../../perception/v1/SnapshotOptions.js';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../google/protobuf/Duration.js';

export interface WatchSnapshotsRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
  'options'?: (_perception_v1_SnapshotOptions | null);
  'minInterval'?: (_google_protobuf_Duration | null);
}

export interface WatchSnapshotsRequest__Output {
  'sessionId': (string);
  'tabId': (string);
  'options': (_perception_v1_SnapshotOptions__Output | null);
  'minInterval': (_google_protobuf_Duration__Output | null);
}
