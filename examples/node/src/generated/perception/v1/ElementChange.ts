// Original file: ../../proto/perception/v1/types.proto

import type { Element as _perception_v1_Element, Element__Output as _perception_v1_Element__Output } from '../../perception/v1/Element.js';

export interface ElementChange {
  'element'?: (_perception_v1_Element | null);
  'fields'?: (string)[];
  'index'?: (number);
  'fromIndex'?: (number);
}

export interface ElementChange__Output {
  'element': (_perception_v1_Element__Output | null);
  'fields': (string)[];
  'index': (number);
  'fromIndex': (number);
}
