// Original file: ../../proto/perception/v1/types.proto


export interface Scroll {
  'x'?: (number | string);
  'y'?: (number | string);
  'pageWidth'?: (number | string);
  'pageHeight'?: (number | string);
}

export interface Scroll__Output {
  'x': (number);
  'y': (number);
  'pageWidth': (number);
  'pageHeight': (number);
}
