// Original file: ../../proto/perception/v1/perception_service.proto

import type { Element as _perception_v1_Element, Element__Output as _perception_v1_Element__Output } from '../../perception/v1/Element.js';

export interface ElementMatch {
  'element'?: (_perception_v1_Element | null);
  'score'?: (number | string);
  'reason'?: (string);
}

export interface ElementMatch__Output {
  'element': (_perception_v1_Element__Output | null);
  'score': (number);
  'reason': (string);
}
