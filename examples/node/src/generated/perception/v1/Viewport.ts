// Original file: ../../proto/perception/v1/types.proto


export interface Viewport {
  'width'?: (number);
  'height'?: (number);
  'deviceScaleFactor'?: (number | string);
}

export interface Viewport__Output {
  'width': (number);
  'height': (number);
  'deviceScaleFactor': (number);
}
