// Original file: ../../proto/perception/v1/session_service.proto

import type { Dialog as _perception_v1_Dialog, Dialog__Output as _perception_v1_Dialog__Output } from '../../perception/v1/Dialog.js';

export interface HandleDialogResponse {
  'dialog'?: (_perception_v1_Dialog | null);
}

export interface HandleDialogResponse__Output {
  'dialog': (_perception_v1_Dialog__Output | null);
}
