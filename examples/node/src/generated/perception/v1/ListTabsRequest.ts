// Original file: ../../proto/perception/v1/session_service.proto


export interface ListTabsRequest {
  'sessionId'?: (string);
}

export interface ListTabsRequest__Output {
  'sessionId': (string);
}
