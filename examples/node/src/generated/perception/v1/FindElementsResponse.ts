// Original file: ../../proto/perception/v1/perception_service.proto

import type { ElementMatch as _perception_v1_ElementMatch, ElementMatch__Output as _perception_v1_ElementMatch__Output } from '../../perception/v1/ElementMatch.js';

export interface FindElementsResponse {
  'matches'?: (_perception_v1_ElementMatch)[];
  'snapshotId'?: (string);
}

export interface FindElementsResponse__Output {
  'matches': (_perception_v1_ElementMatch__Output)[];
  'snapshotId': (string);
}
