// Original file: ../../proto/perception/v1/perception_service.proto

export const Scope = {
  SCOPE_UNSPECIFIED: 'SCOPE_UNSPECIFIED',
  SCOPE_VIEWPORT: 'SCOPE_VIEWPORT',
  SCOPE_PAGE: 'SCOPE_PAGE',
} as const;

export type Scope =
  | 'SCOPE_UNSPECIFIED'
  | 0
  | 'SCOPE_VIEWPORT'
  | 1
  | 'SCOPE_PAGE'
  | 2

export type Scope__Output = typeof Scope[keyof typeof Scope]
