// Original file: ../../proto/perception/v1/session_service.proto


export interface GetSessionRequest {
  'sessionId'?: (string);
}

export interface GetSessionRequest__Output {
  'sessionId': (string);
}
