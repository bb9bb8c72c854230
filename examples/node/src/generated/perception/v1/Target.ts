// Original file: ../../proto/perception/v1/types.proto

import type { Coordinate as _perception_v1_Coordinate, Coordinate__Output as _perception_v1_Coordinate__Output } from '../../perception/v1/Coordinate.js';

export interface Target {
  'ref'?: (string);
  'coordinate'?: (_perception_v1_Coordinate | null);
  'selector'?: (string);
  'backendNodeId'?: (number);
  'target'?: "ref"|"coordinate"|"selector"|"backendNodeId";
}

export interface Target__Output {
  'ref'?: (string);
  'coordinate'?: (_perception_v1_Coordinate__Output | null);
  'selector'?: (string);
  'backendNodeId'?: (number);
  'target'?: "ref"|"coordinate"|"selector"|"backendNodeId";
}
