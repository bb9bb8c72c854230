// Original file: ../../proto/perception/v1/types.proto


export interface Skipped {
  'name'?: (string);
  'reason'?: (string);
}

export interface Skipped__Output {
  'name': (string);
  'reason': (string);
}
