// Original file: ../../proto/perception/v1/perception_service.proto

import type { SnapshotOptions as _perception_v1_SnapshotOptions, SnapshotOptions__Output as _perception_v1_SnapshotOptions__Output } from '../../perception/v1/SnapshotOptions.js';

export interface CaptureSnapshotRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
  'options'?: (_perception_v1_SnapshotOptions | null);
  'sinceSnapshotId'?: (string);
  'cursor'?: (string);
  'includeScreenshot'?: (boolean);
  'includeAnnotated'?: (boolean);
}

export interface CaptureSnapshotRequest__Output {
  'sessionId': (string);
  'tabId': (string);
  'options': (_perception_v1_SnapshotOptions__Output | null);
  'sinceSnapshotId': (string);
  'cursor': (string);
  'includeScreenshot': (boolean);
  'includeAnnotated': (boolean);
}
