// Original file: ../../proto/perception/v1/types.proto

export const Source = {
  SOURCE_UNSPECIFIED: 'SOURCE_UNSPECIFIED',
  SOURCE_AX: 'SOURCE_AX',
  SOURCE_DOM: 'SOURCE_DOM',
  SOURCE_OCR: 'SOURCE_OCR',
  SOURCE_DETECTOR: 'SOURCE_DETECTOR',
} as const;

export type Source =
  | 'SOURCE_UNSPECIFIED'
  | 0
  | 'SOURCE_AX'
  | 1
  | 'SOURCE_DOM'
  | 2
  | 'SOURCE_OCR'
  | 3
  | 'SOURCE_DETECTOR'
  | 4

export type Source__Output = typeof Source[keyof typeof Source]
