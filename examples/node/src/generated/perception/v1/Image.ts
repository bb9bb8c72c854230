// Original file: ../../proto/perception/v1/types.proto


export interface Image {
  'data'?: (Buffer | Uint8Array | string);
  'mimeType'?: (string);
  'width'?: (number);
  'height'?: (number);
  'scale'?: (number | string);
}

export interface Image__Output {
  'data': (Buffer);
  'mimeType': (string);
  'width': (number);
  'height': (number);
  'scale': (number);
}
