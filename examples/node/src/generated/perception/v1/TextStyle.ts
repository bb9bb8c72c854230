// Original file: ../../proto/perception/v1/perception_service.proto

export const TextStyle = {
  TEXT_STYLE_UNSPECIFIED: 'TEXT_STYLE_UNSPECIFIED',
  TEXT_STYLE_ROLE_REF: 'TEXT_STYLE_ROLE_REF',
  TEXT_STYLE_COMPACT: 'TEXT_STYLE_COMPACT',
} as const;

export type TextStyle =
  | 'TEXT_STYLE_UNSPECIFIED'
  | 0
  | 'TEXT_STYLE_ROLE_REF'
  | 1
  | 'TEXT_STYLE_COMPACT'
  | 2

export type TextStyle__Output = typeof TextStyle[keyof typeof TextStyle]
