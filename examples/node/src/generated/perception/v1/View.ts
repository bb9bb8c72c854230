// Original file: ../../proto/perception/v1/perception_service.proto

export const View = {
  VIEW_UNSPECIFIED: 'VIEW_UNSPECIFIED',
  VIEW_FULL: 'VIEW_FULL',
  VIEW_INTERACTIVE: 'VIEW_INTERACTIVE',
  VIEW_DIGEST: 'VIEW_DIGEST',
} as const;

export type View =
  | 'VIEW_UNSPECIFIED'
  | 0
  | 'VIEW_FULL'
  | 1
  | 'VIEW_INTERACTIVE'
  | 2
  | 'VIEW_DIGEST'
  | 3

export type View__Output = typeof View[keyof typeof View]
