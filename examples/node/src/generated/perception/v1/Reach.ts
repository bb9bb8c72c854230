// Original file: ../../proto/perception/v1/types.proto

export const Reach = {
  REACH_UNSPECIFIED: 'REACH_UNSPECIFIED',
  REACH_NOW: 'REACH_NOW',
  REACH_COVERED: 'REACH_COVERED',
  REACH_SCROLL: 'REACH_SCROLL',
  REACH_NEVER: 'REACH_NEVER',
} as const;

export type Reach =
  | 'REACH_UNSPECIFIED'
  | 0
  | 'REACH_NOW'
  | 1
  | 'REACH_COVERED'
  | 2
  | 'REACH_SCROLL'
  | 3
  | 'REACH_NEVER'
  | 4

export type Reach__Output = typeof Reach[keyof typeof Reach]
