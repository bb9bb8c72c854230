// Original file: ../../proto/perception/v1/types.proto

import type { Element as _perception_v1_Element, Element__Output as _perception_v1_Element__Output } from '../../perception/v1/Element.js';
import type { ElementChange as _perception_v1_ElementChange, ElementChange__Output as _perception_v1_ElementChange__Output } from '../../perception/v1/ElementChange.js';

export interface SnapshotDiff {
  'sinceSnapshotId'?: (string);
  'added'?: (_perception_v1_Element)[];
  'changed'?: (_perception_v1_ElementChange)[];
  'removedRefs'?: (string)[];
  'addedAt'?: (number)[];
  'removedAt'?: (number)[];
  'text'?: (string);
  'tokenCount'?: (number);
}

export interface SnapshotDiff__Output {
  'sinceSnapshotId': (string);
  'added': (_perception_v1_Element__Output)[];
  'changed': (_perception_v1_ElementChange__Output)[];
  'removedRefs': (string)[];
  'addedAt': (number)[];
  'removedAt': (number)[];
  'text': (string);
  'tokenCount': (number);
}
