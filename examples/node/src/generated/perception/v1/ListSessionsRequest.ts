// Original file: ../../proto/perception/v1/session_service.proto


export interface ListSessionsRequest {
}

export interface ListSessionsRequest__Output {
}
