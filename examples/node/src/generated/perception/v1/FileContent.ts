// Original file: ../../proto/perception/v1/action_service.proto


export interface FileContent {
  'name'?: (string);
  'content'?: (Buffer | Uint8Array | string);
}

export interface FileContent__Output {
  'name': (string);
  'content': (Buffer);
}
