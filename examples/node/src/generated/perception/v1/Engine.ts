// Original file: ../../proto/perception/v1/perception_service.proto

export const Engine = {
  ENGINE_UNSPECIFIED: 'ENGINE_UNSPECIFIED',
  ENGINE_WALKER: 'ENGINE_WALKER',
  ENGINE_AX: 'ENGINE_AX',
} as const;

export type Engine =
  | 'ENGINE_UNSPECIFIED'
  | 0
  | 'ENGINE_WALKER'
  | 1
  | 'ENGINE_AX'
  | 2

export type Engine__Output = typeof Engine[keyof typeof Engine]
