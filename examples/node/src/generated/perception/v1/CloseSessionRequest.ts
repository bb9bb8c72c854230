// Original file: ../../proto/perception/v1/session_service.proto


export interface CloseSessionRequest {
  'sessionId'?: (string);
}

export interface CloseSessionRequest__Output {
  'sessionId': (string);
}
