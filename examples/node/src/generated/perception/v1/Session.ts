// Original file: ../../proto/perception/v1/session_service.proto

import type { Tab as _perception_v1_Tab, Tab__Output as _perception_v1_Tab__Output } from '../../perception/v1/Tab.js';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.js';
import type { SessionOptions as _perception_v1_SessionOptions, SessionOptions__Output as _perception_v1_SessionOptions__Output } from '../../perception/v1/SessionOptions.js';
import type { Dialog as _perception_v1_Dialog, Dialog__Output as _perception_v1_Dialog__Output } from '../../perception/v1/Dialog.js';
import type { Download as _perception_v1_Download, Download__Output as _perception_v1_Download__Output } from '../../perception/v1/Download.js';

export interface Session {
  'sessionId'?: (string);
  'tabs'?: (_perception_v1_Tab)[];
  'createTime'?: (_google_protobuf_Timestamp | null);
  'lastUsedTime'?: (_google_protobuf_Timestamp | null);
  'options'?: (_perception_v1_SessionOptions | null);
  'dialogs'?: (_perception_v1_Dialog)[];
  'downloads'?: (_perception_v1_Download)[];
}

export interface Session__Output {
  'sessionId': (string);
  'tabs': (_perception_v1_Tab__Output)[];
  'createTime': (_google_protobuf_Timestamp__Output | null);
  'lastUsedTime': (_google_protobuf_Timestamp__Output | null);
  'options': (_perception_v1_SessionOptions__Output | null);
  'dialogs': (_perception_v1_Dialog__Output)[];
  'downloads': (_perception_v1_Download__Output)[];
}
