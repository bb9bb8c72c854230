// Original file: ../../proto/perception/v1/perception_service.proto

import type { ImageFormat as _perception_v1_ImageFormat, ImageFormat__Output as _perception_v1_ImageFormat__Output } from '../../perception/v1/ImageFormat.js';
import type { SnapshotOptions as _perception_v1_SnapshotOptions, SnapshotOptions__Output as _perception_v1_SnapshotOptions__Output } from '../../perception/v1/SnapshotOptions.js';

export interface CaptureScreenshotRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
  'format'?: (_perception_v1_ImageFormat);
  'quality'?: (number);
  'annotated'?: (boolean);
  'options'?: (_perception_v1_SnapshotOptions | null);
  'fullPage'?: (boolean);
  'revealSensitive'?: (boolean);
}

export interface CaptureScreenshotRequest__Output {
  'sessionId': (string);
  'tabId': (string);
  'format': (_perception_v1_ImageFormat__Output);
  'quality': (number);
  'annotated': (boolean);
  'options': (_perception_v1_SnapshotOptions__Output | null);
  'fullPage': (boolean);
  'revealSensitive': (boolean);
}
