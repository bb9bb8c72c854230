// Original file: ../../proto/perception/v1/perception_service.proto

import type { Snapshot as _perception_v1_Snapshot, Snapshot__Output as _perception_v1_Snapshot__Output } from '../../perception/v1/Snapshot.js';

export interface WatchSnapshotsResponse {
  'snapshot'?: (_perception_v1_Snapshot | null);
}

export interface WatchSnapshotsResponse__Output {
  'snapshot': (_perception_v1_Snapshot__Output | null);
}
