// Original file: ../../proto/perception/v1/types.proto


export interface Coordinate {
  'x'?: (number | string);
  'y'?: (number | string);
  'snapshotId'?: (string);
}

export interface Coordinate__Output {
  'x': (number);
  'y': (number);
  'snapshotId': (string);
}
