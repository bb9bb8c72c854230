// Original file: ../../proto/perception/v1/types.proto


export interface Box {
  'x'?: (number | string);
  'y'?: (number | string);
  'width'?: (number | string);
  'height'?: (number | string);
}

export interface Box__Output {
  'x': (number);
  'y': (number);
  'width': (number);
  'height': (number);
}
