// Original file: ../../proto/perception/v1/perception_service.proto

import type { Snapshot as _perception_v1_Snapshot, Snapshot__Output as _perception_v1_Snapshot__Output } from '../../perception/v1/Snapshot.js';
import type { Image as _perception_v1_Image, Image__Output as _perception_v1_Image__Output } from '../../perception/v1/Image.js';

export interface CaptureSnapshotResponse {
  'snapshot'?: (_perception_v1_Snapshot | null);
  'screenshot'?: (_perception_v1_Image | null);
  'annotated'?: (_perception_v1_Image | null);
}

export interface CaptureSnapshotResponse__Output {
  'snapshot': (_perception_v1_Snapshot__Output | null);
  'screenshot': (_perception_v1_Image__Output | null);
  'annotated': (_perception_v1_Image__Output | null);
}
