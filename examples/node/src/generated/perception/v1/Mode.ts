// Original file: ../../proto/perception/v1/perception_service.proto

export const Mode = {
  MODE_UNSPECIFIED: 'MODE_UNSPECIFIED',
  MODE_TEXT: 'MODE_TEXT',
  MODE_FUSED: 'MODE_FUSED',
  MODE_VISION: 'MODE_VISION',
} as const;

export type Mode =
  | 'MODE_UNSPECIFIED'
  | 0
  | 'MODE_TEXT'
  | 1
  | 'MODE_FUSED'
  | 2
  | 'MODE_VISION'
  | 3

export type Mode__Output = typeof Mode[keyof typeof Mode]
