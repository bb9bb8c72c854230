// Original file: ../../proto/perception/v1/session_service.proto


export interface CloseTabRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
}

export interface CloseTabRequest__Output {
  'sessionId': (string);
  'tabId': (string);
}
