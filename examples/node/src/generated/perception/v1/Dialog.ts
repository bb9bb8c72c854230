// Original file: ../../proto/perception/v1/types.proto


// Original file: ../../proto/perception/v1/types.proto

export const _perception_v1_Dialog_Kind = {
  KIND_UNSPECIFIED: 'KIND_UNSPECIFIED',
  KIND_ALERT: 'KIND_ALERT',
  KIND_CONFIRM: 'KIND_CONFIRM',
  KIND_PROMPT: 'KIND_PROMPT',
  KIND_BEFORE_UNLOAD: 'KIND_BEFORE_UNLOAD',
} as const;

export type _perception_v1_Dialog_Kind =
  | 'KIND_UNSPECIFIED'
  | 0
  | 'KIND_ALERT'
  | 1
  | 'KIND_CONFIRM'
  | 2
  | 'KIND_PROMPT'
  | 3
  | 'KIND_BEFORE_UNLOAD'
  | 4

export type _perception_v1_Dialog_Kind__Output = typeof _perception_v1_Dialog_Kind[keyof typeof _perception_v1_Dialog_Kind]

export interface Dialog {
  'dialogId'?: (string);
  'tabId'?: (string);
  'kind'?: (_perception_v1_Dialog_Kind);
  'message'?: (string);
  'defaultValue'?: (string);
}

export interface Dialog__Output {
  'dialogId': (string);
  'tabId': (string);
  'kind': (_perception_v1_Dialog_Kind__Output);
  'message': (string);
  'defaultValue': (string);
}
