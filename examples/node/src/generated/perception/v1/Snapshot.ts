// Original file: ../../proto/perception/v1/types.proto

import type { Viewport as _perception_v1_Viewport, Viewport__Output as _perception_v1_Viewport__Output } from '../../perception/v1/Viewport.js';
import type { Scroll as _perception_v1_Scroll, Scroll__Output as _perception_v1_Scroll__Output } from '../../perception/v1/Scroll.js';
import type { Element as _perception_v1_Element, Element__Output as _perception_v1_Element__Output } from '../../perception/v1/Element.js';
import type { Skipped as _perception_v1_Skipped, Skipped__Output as _perception_v1_Skipped__Output } from '../../perception/v1/Skipped.js';
import type { Timing as _perception_v1_Timing, Timing__Output as _perception_v1_Timing__Output } from '../../perception/v1/Timing.js';
import type { SnapshotDiff as _perception_v1_SnapshotDiff, SnapshotDiff__Output as _perception_v1_SnapshotDiff__Output } from '../../perception/v1/SnapshotDiff.js';
import type { Settle as _perception_v1_Settle, Settle__Output as _perception_v1_Settle__Output } from '../../perception/v1/Settle.js';

export interface Snapshot {
  'snapshotId'?: (string);
  'url'?: (string);
  'title'?: (string);
  'viewport'?: (_perception_v1_Viewport | null);
  'scroll'?: (_perception_v1_Scroll | null);
  'elements'?: (_perception_v1_Element)[];
  'text'?: (string);
  'tokenCount'?: (number);
  'omittedCount'?: (number);
  'nextCursor'?: (string);
  'skipped'?: (_perception_v1_Skipped)[];
  'timings'?: (_perception_v1_Timing)[];
  'diff'?: (_perception_v1_SnapshotDiff | null);
  'tabId'?: (string);
  'settle'?: (_perception_v1_Settle | null);
  'torn'?: (boolean);
  'pageVisible'?: (boolean);
}

export interface Snapshot__Output {
  'snapshotId': (string);
  'url': (string);
  'title': (string);
  'viewport': (_perception_v1_Viewport__Output | null);
  'scroll': (_perception_v1_Scroll__Output | null);
  'elements': (_perception_v1_Element__Output)[];
  'text': (string);
  'tokenCount': (number);
  'omittedCount': (number);
  'nextCursor': (string);
  'skipped': (_perception_v1_Skipped__Output)[];
  'timings': (_perception_v1_Timing__Output)[];
  'diff': (_perception_v1_SnapshotDiff__Output | null);
  'tabId': (string);
  'settle': (_perception_v1_Settle__Output | null);
  'torn': (boolean);
  'pageVisible': (boolean);
}
