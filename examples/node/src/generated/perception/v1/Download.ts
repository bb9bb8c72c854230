// Original file: ../../proto/perception/v1/types.proto

import type { Long } from '@grpc/proto-loader';

// Original file: ../../proto/perception/v1/types.proto

export const _perception_v1_Download_State = {
  STATE_UNSPECIFIED: 'STATE_UNSPECIFIED',
  STATE_IN_PROGRESS: 'STATE_IN_PROGRESS',
  STATE_COMPLETED: 'STATE_COMPLETED',
  STATE_FAILED: 'STATE_FAILED',
} as const;

export type _perception_v1_Download_State =
  | 'STATE_UNSPECIFIED'
  | 0
  | 'STATE_IN_PROGRESS'
  | 1
  | 'STATE_COMPLETED'
  | 2
  | 'STATE_FAILED'
  | 3

export type _perception_v1_Download_State__Output = typeof _perception_v1_Download_State[keyof typeof _perception_v1_Download_State]

export interface Download {
  'path'?: (string);
  'url'?: (string);
  'sizeBytes'?: (number | string | Long);
  'name'?: (string);
  'state'?: (_perception_v1_Download_State);
  'failure'?: (string);
}

export interface Download__Output {
  'path': (string);
  'url': (string);
  'sizeBytes': (number);
  'name': (string);
  'state': (_perception_v1_Download_State__Output);
  'failure': (string);
}
