// Original file: ../../proto/perception/v1/types.proto

import type { Box as _perception_v1_Box, Box__Output as _perception_v1_Box__Output } from '../../perception/v1/Box.js';
import type { Source as _perception_v1_Source, Source__Output as _perception_v1_Source__Output } from '../../perception/v1/Source.js';
import type { Point as _perception_v1_Point, Point__Output as _perception_v1_Point__Output } from '../../perception/v1/Point.js';
import type { Reach as _perception_v1_Reach, Reach__Output as _perception_v1_Reach__Output } from '../../perception/v1/Reach.js';
import type { Scrollable as _perception_v1_Scrollable, Scrollable__Output as _perception_v1_Scrollable__Output } from '../../perception/v1/Scrollable.js';

export interface Element {
  'ref'?: (string);
  'role'?: (string);
  'name'?: (string);
  'nth'?: (number);
  'value'?: (string);
  'states'?: (string)[];
  'box'?: (_perception_v1_Box | null);
  'sources'?: (_perception_v1_Source)[];
  'confidence'?: (number | string);
  'text'?: (string);
  'backendNodeId'?: (number);
  'frame'?: (string);
  'inViewport'?: (boolean);
  'reachable'?: (boolean);
  'coveredBy'?: (string);
  'visible'?: (boolean);
  'selector'?: (string);
  'clickPoint'?: (_perception_v1_Point | null);
  'depth'?: (number);
  'hint'?: (string);
  'unseenText'?: (boolean);
  'reach'?: (_perception_v1_Reach);
  'scrollable'?: (_perception_v1_Scrollable | null);
  'options'?: (string)[];
  '_backendNodeId'?: "backendNodeId";
}

export interface Element__Output {
  'ref': (string);
  'role': (string);
  'name': (string);
  'nth': (number);
  'value': (string);
  'states': (string)[];
  'box': (_perception_v1_Box__Output | null);
  'sources': (_perception_v1_Source__Output)[];
  'confidence': (number);
  'text': (string);
  'backendNodeId'?: (number);
  'frame': (string);
  'inViewport': (boolean);
  'reachable': (boolean);
  'coveredBy': (string);
  'visible': (boolean);
  'selector': (string);
  'clickPoint': (_perception_v1_Point__Output | null);
  'depth': (number);
  'hint': (string);
  'unseenText': (boolean);
  'reach': (_perception_v1_Reach__Output);
  'scrollable': (_perception_v1_Scrollable__Output | null);
  'options': (string)[];
  '_backendNodeId'?: "backendNodeId";
}
