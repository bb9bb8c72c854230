// Original file: ../../proto/perception/v1/session_service.proto


export interface SelectTabRequest {
  'sessionId'?: (string);
  'tabId'?: (string);
}

export interface SelectTabRequest__Output {
  'sessionId': (string);
  'tabId': (string);
}
