// Original file: ../../proto/perception/v1/session_service.proto

export const WaitUntil = {
  WAIT_UNTIL_UNSPECIFIED: 'WAIT_UNTIL_UNSPECIFIED',
  WAIT_UNTIL_COMMIT: 'WAIT_UNTIL_COMMIT',
  WAIT_UNTIL_DOM_CONTENT_LOADED: 'WAIT_UNTIL_DOM_CONTENT_LOADED',
  WAIT_UNTIL_SETTLED: 'WAIT_UNTIL_SETTLED',
  WAIT_UNTIL_LOAD: 'WAIT_UNTIL_LOAD',
} as const;

export type WaitUntil =
  | 'WAIT_UNTIL_UNSPECIFIED'
  | 0
  | 'WAIT_UNTIL_COMMIT'
  | 1
  | 'WAIT_UNTIL_DOM_CONTENT_LOADED'
  | 2
  | 'WAIT_UNTIL_SETTLED'
  | 3
  | 'WAIT_UNTIL_LOAD'
  | 4

export type WaitUntil__Output = typeof WaitUntil[keyof typeof WaitUntil]
