// Original file: ../../proto/perception/v1/action_service.proto

import type { Point as _perception_v1_Point, Point__Output as _perception_v1_Point__Output } from '../../perception/v1/Point.js';
import type { Tab as _perception_v1_Tab, Tab__Output as _perception_v1_Tab__Output } from '../../perception/v1/Tab.js';
import type { Dialog as _perception_v1_Dialog, Dialog__Output as _perception_v1_Dialog__Output } from '../../perception/v1/Dialog.js';
import type { Timing as _perception_v1_Timing, Timing__Output as _perception_v1_Timing__Output } from '../../perception/v1/Timing.js';
import type { SnapshotDiff as _perception_v1_SnapshotDiff, SnapshotDiff__Output as _perception_v1_SnapshotDiff__Output } from '../../perception/v1/SnapshotDiff.js';
import type { Download as _perception_v1_Download, Download__Output as _perception_v1_Download__Output } from '../../perception/v1/Download.js';

export interface ActionResult {
  'tabId'?: (string);
  'url'?: (string);
  'navigated'?: (boolean);
  'point'?: (_perception_v1_Point | null);
  'newTabs'?: (_perception_v1_Tab)[];
  'dialogs'?: (_perception_v1_Dialog)[];
  'timings'?: (_perception_v1_Timing)[];
  'diff'?: (_perception_v1_SnapshotDiff | null);
  'downloads'?: (_perception_v1_Download)[];
  'consoleErrors'?: (string)[];
  'snapshotId'?: (string);
  'notes'?: (string)[];
}

export interface ActionResult__Output {
  'tabId': (string);
  'url': (string);
  'navigated': (boolean);
  'point': (_perception_v1_Point__Output | null);
  'newTabs': (_perception_v1_Tab__Output)[];
  'dialogs': (_perception_v1_Dialog__Output)[];
  'timings': (_perception_v1_Timing__Output)[];
  'diff': (_perception_v1_SnapshotDiff__Output | null);
  'downloads': (_perception_v1_Download__Output)[];
  'consoleErrors': (string)[];
  'snapshotId': (string);
  'notes': (string)[];
}
