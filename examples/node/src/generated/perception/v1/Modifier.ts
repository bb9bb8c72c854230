// Original file: ../../proto/perception/v1/action_service.proto

export const Modifier = {
  MODIFIER_UNSPECIFIED: 'MODIFIER_UNSPECIFIED',
  MODIFIER_ALT: 'MODIFIER_ALT',
  MODIFIER_CONTROL: 'MODIFIER_CONTROL',
  MODIFIER_META: 'MODIFIER_META',
  MODIFIER_SHIFT: 'MODIFIER_SHIFT',
} as const;

export type Modifier =
  | 'MODIFIER_UNSPECIFIED'
  | 0
  | 'MODIFIER_ALT'
  | 1
  | 'MODIFIER_CONTROL'
  | 2
  | 'MODIFIER_META'
  | 3
  | 'MODIFIER_SHIFT'
  | 4

export type Modifier__Output = typeof Modifier[keyof typeof Modifier]
