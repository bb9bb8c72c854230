// Original file: ../../proto/perception/v1/action_service.proto

import type { Target as _perception_v1_Target, Target__Output as _perception_v1_Target__Output } from '../../perception/v1/Target.js';
import type { ActionOptions as _perception_v1_ActionOptions, ActionOptions__Output as _perception_v1_ActionOptions__Output } from '../../perception/v1/ActionOptions.js';
import type { FileContent as _perception_v1_FileContent, FileContent__Output as _perception_v1_FileContent__Output } from '../../perception/v1/FileContent.js';

export interface UploadFilesRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
  'target'?: (_perception_v1_Target | null);
  'paths'?: (string)[];
  'requestId'?: (string);
  'actionOptions'?: (_perception_v1_ActionOptions | null);
  'files'?: (_perception_v1_FileContent)[];
}

export interface UploadFilesRequest__Output {
  'sessionId': (string);
  'tabId': (string);
  'target': (_perception_v1_Target__Output | null);
  'paths': (string)[];
  'requestId': (string);
  'actionOptions': (_perception_v1_ActionOptions__Output | null);
  'files': (_perception_v1_FileContent__Output)[];
}
