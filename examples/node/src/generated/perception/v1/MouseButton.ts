// Original file: ../../proto/perception/v1/action_service.proto

export const MouseButton = {
  MOUSE_BUTTON_UNSPECIFIED: 'MOUSE_BUTTON_UNSPECIFIED',
  MOUSE_BUTTON_LEFT: 'MOUSE_BUTTON_LEFT',
  MOUSE_BUTTON_RIGHT: 'MOUSE_BUTTON_RIGHT',
  MOUSE_BUTTON_MIDDLE: 'MOUSE_BUTTON_MIDDLE',
} as const;

export type MouseButton =
  | 'MOUSE_BUTTON_UNSPECIFIED'
  | 0
  | 'MOUSE_BUTTON_LEFT'
  | 1
  | 'MOUSE_BUTTON_RIGHT'
  | 2
  | 'MOUSE_BUTTON_MIDDLE'
  | 3

export type MouseButton__Output = typeof MouseButton[keyof typeof MouseButton]
