// Original file: ../../proto/perception/v1/session_service.proto


export interface HandleDialogRequest {
  'sessionId'?: (string);
  'dialogId'?: (string);
  'accept'?: (boolean);
  'promptText'?: (string);
}

export interface HandleDialogRequest__Output {
  'sessionId': (string);
  'dialogId': (string);
  'accept': (boolean);
  'promptText': (string);
}
