// Original file: ../../proto/perception/v1/perception_service.proto

import type { Point as _perception_v1_Point, Point__Output as _perception_v1_Point__Output } from '../../perception/v1/Point.js';
import type { SnapshotOptions as _perception_v1_SnapshotOptions, SnapshotOptions__Output as _perception_v1_SnapshotOptions__Output } from '../../perception/v1/SnapshotOptions.js';

export interface FindElementsRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
  'query'?: (string);
  'role'?: (string);
  'name'?: (string);
  'text'?: (string);
  'at'?: (_perception_v1_Point | null);
  'limit'?: (number);
  'options'?: (_perception_v1_SnapshotOptions | null);
}

export interface FindElementsRequest__Output {
  'sessionId': (string);
  'tabId': (string);
  'query': (string);
  'role': (string);
  'name': (string);
  'text': (string);
  'at': (_perception_v1_Point__Output | null);
  'limit': (number);
  'options': (_perception_v1_SnapshotOptions__Output | null);
}
