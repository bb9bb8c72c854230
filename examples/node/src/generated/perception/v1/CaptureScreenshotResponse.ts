// Original file: ../../proto/perception/v1/perception_service.proto

import type { Image as _perception_v1_Image, Image__Output as _perception_v1_Image__Output } from '../../perception/v1/Image.js';
import type { Viewport as _perception_v1_Viewport, Viewport__Output as _perception_v1_Viewport__Output } from '../../perception/v1/Viewport.js';
import type { Scroll as _perception_v1_Scroll, Scroll__Output as _perception_v1_Scroll__Output } from '../../perception/v1/Scroll.js';

export interface CaptureScreenshotResponse {
  'image'?: (_perception_v1_Image | null);
  'viewport'?: (_perception_v1_Viewport | null);
  'scroll'?: (_perception_v1_Scroll | null);
  'snapshotId'?: (string);
  'pageVisible'?: (boolean);
}

export interface CaptureScreenshotResponse__Output {
  'image': (_perception_v1_Image__Output | null);
  'viewport': (_perception_v1_Viewport__Output | null);
  'scroll': (_perception_v1_Scroll__Output | null);
  'snapshotId': (string);
  'pageVisible': (boolean);
}
