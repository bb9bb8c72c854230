// Original file: ../../proto/perception/v1/types.proto


export interface Timing {
  'stage'?: (string);
  'milliseconds'?: (number | string);
}

export interface Timing__Output {
  'stage': (string);
  'milliseconds': (number);
}
