// Original file: ../../proto/perception/v1/session_service.proto

export const ColorScheme = {
  COLOR_SCHEME_UNSPECIFIED: 'COLOR_SCHEME_UNSPECIFIED',
  COLOR_SCHEME_LIGHT: 'COLOR_SCHEME_LIGHT',
  COLOR_SCHEME_DARK: 'COLOR_SCHEME_DARK',
} as const;

export type ColorScheme =
  | 'COLOR_SCHEME_UNSPECIFIED'
  | 0
  | 'COLOR_SCHEME_LIGHT'
  | 1
  | 'COLOR_SCHEME_DARK'
  | 2

export type ColorScheme__Output = typeof ColorScheme[keyof typeof ColorScheme]
