// Original file: ../../proto/perception/v1/perception_service.proto

export const ImageFormat = {
  IMAGE_FORMAT_UNSPECIFIED: 'IMAGE_FORMAT_UNSPECIFIED',
  IMAGE_FORMAT_PNG: 'IMAGE_FORMAT_PNG',
  IMAGE_FORMAT_JPEG: 'IMAGE_FORMAT_JPEG',
} as const;

export type ImageFormat =
  | 'IMAGE_FORMAT_UNSPECIFIED'
  | 0
  | 'IMAGE_FORMAT_PNG'
  | 1
  | 'IMAGE_FORMAT_JPEG'
  | 2

export type ImageFormat__Output = typeof ImageFormat[keyof typeof ImageFormat]
