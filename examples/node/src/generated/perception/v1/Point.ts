// Original file: ../../proto/perception/v1/types.proto


export interface Point {
  'x'?: (number | string);
  'y'?: (number | string);
}

export interface Point__Output {
  'x': (number);
  'y': (number);
}
