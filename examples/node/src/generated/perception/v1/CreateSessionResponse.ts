// Original file: ../../proto/perception/v1/session_service.proto

import type { Session as _perception_v1_Session, Session__Output as _perception_v1_Session__Output } from '../../perception/v1/Session.js';

export interface CreateSessionResponse {
  'session'?: (_perception_v1_Session | null);
}

export interface CreateSessionResponse__Output {
  'session': (_perception_v1_Session__Output | null);
}
