// Original file: ../../proto/perception/v1/types.proto


export interface Scrollable {
  'up'?: (number | string);
  'down'?: (number | string);
  'left'?: (number | string);
  'right'?: (number | string);
}

export interface Scrollable__Output {
  'up': (number);
  'down': (number);
  'left': (number);
  'right': (number);
}
