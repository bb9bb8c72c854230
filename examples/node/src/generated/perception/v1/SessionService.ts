// Original file: ../../proto/perception/v1/session_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CloseSessionRequest as _perception_v1_CloseSessionRequest, CloseSessionRequest__Output as _perception_v1_CloseSessionRequest__Output } from '../../perception/v1/CloseSessionRequest.js';
import type { CloseSessionResponse as _perception_v1_CloseSessionResponse, CloseSessionResponse__Output as _perception_v1_CloseSessionResponse__Output } from '../../perception/v1/CloseSessionResponse.js';
import type { CloseTabRequest as _perception_v1_CloseTabRequest, CloseTabRequest__Output as _perception_v1_CloseTabRequest__Output } from '../../perception/v1/CloseTabRequest.js';
import type { CloseTabResponse as _perception_v1_CloseTabResponse, CloseTabResponse__Output as _perception_v1_CloseTabResponse__Output } from '../../perception/v1/CloseTabResponse.js';
import type { CreateSessionRequest as _perception_v1_CreateSessionRequest, CreateSessionRequest__Output as _perception_v1_CreateSessionRequest__Output } from '../../perception/v1/CreateSessionRequest.js';
import type { CreateSessionResponse as _perception_v1_CreateSessionResponse, CreateSessionResponse__Output as _perception_v1_CreateSessionResponse__Output } from '../../perception/v1/CreateSessionResponse.js';
import type { GetSessionRequest as _perception_v1_GetSessionRequest, GetSessionRequest__Output as _perception_v1_GetSessionRequest__Output } from '../../perception/v1/GetSessionRequest.js';
import type { GetSessionResponse as _perception_v1_GetSessionResponse, GetSessionResponse__Output as _perception_v1_GetSessionResponse__Output } from '../../perception/v1/GetSessionResponse.js';
import type { GoBackRequest as _perception_v1_GoBackRequest, GoBackRequest__Output as _perception_v1_GoBackRequest__Output } from '../../perception/v1/GoBackRequest.js';
import type { GoBackResponse as _perception_v1_GoBackResponse, GoBackResponse__Output as _perception_v1_GoBackResponse__Output } from '../../perception/v1/GoBackResponse.js';
import type { GoForwardRequest as _perception_v1_GoForwardRequest, GoForwardRequest__Output as _perception_v1_GoForwardRequest__Output } from '../../perception/v1/GoForwardRequest.js';
import type { GoForwardResponse as _perception_v1_GoForwardResponse, GoForwardResponse__Output as _perception_v1_GoForwardResponse__Output } from '../../perception/v1/GoForwardResponse.js';
import type { HandleDialogRequest as _perception_v1_HandleDialogRequest, HandleDialogRequest__Output as _perception_v1_HandleDialogRequest__Output } from '../../perception/v1/HandleDialogRequest.js';
import type { HandleDialogResponse as _perception_v1_HandleDialogResponse, HandleDialogResponse__Output as _perception_v1_HandleDialogResponse__Output } from '../../perception/v1/HandleDialogResponse.js';
import type { ListSessionsRequest as _perception_v1_ListSessionsRequest, ListSessionsRequest__Output as _perception_v1_ListSessionsRequest__Output } from '../../perception/v1/ListSessionsRequest.js';
import type { ListSessionsResponse as _perception_v1_ListSessionsResponse, ListSessionsResponse__Output as _perception_v1_ListSessionsResponse__Output } from '../../perception/v1/ListSessionsResponse.js';
import type { ListTabsRequest as _perception_v1_ListTabsRequest, ListTabsRequest__Output as _perception_v1_ListTabsRequest__Output } from '../../perception/v1/ListTabsRequest.js';
import type { ListTabsResponse as _perception_v1_ListTabsResponse, ListTabsResponse__Output as _perception_v1_ListTabsResponse__Output } from '../../perception/v1/ListTabsResponse.js';
import type { NavigateRequest as _perception_v1_NavigateRequest, NavigateRequest__Output as _perception_v1_NavigateRequest__Output } from '../../perception/v1/NavigateRequest.js';
import type { NavigateResponse as _perception_v1_NavigateResponse, NavigateResponse__Output as _perception_v1_NavigateResponse__Output } from '../../perception/v1/NavigateResponse.js';
import type { ReloadRequest as _perception_v1_ReloadRequest, ReloadRequest__Output as _perception_v1_ReloadRequest__Output } from '../../perception/v1/ReloadRequest.js';
import type { ReloadResponse as _perception_v1_ReloadResponse, ReloadResponse__Output as _perception_v1_ReloadResponse__Output } from '../../perception/v1/ReloadResponse.js';
import type { SelectTabRequest as _perception_v1_SelectTabRequest, SelectTabRequest__Output as _perception_v1_SelectTabRequest__Output } from '../../perception/v1/SelectTabRequest.js';
import type { SelectTabResponse as _perception_v1_SelectTabResponse, SelectTabResponse__Output as _perception_v1_SelectTabResponse__Output } from '../../perception/v1/SelectTabResponse.js';

export interface SessionServiceClient extends grpc.Client {
  CloseSession(argument: _perception_v1_CloseSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _perception_v1_CloseSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _perception_v1_CloseSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  CloseSession(argument: _perception_v1_CloseSessionRequest, callback: grpc.requestCallback<_perception_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _perception_v1_CloseSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _perception_v1_CloseSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _perception_v1_CloseSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  closeSession(argument: _perception_v1_CloseSessionRequest, callback: grpc.requestCallback<_perception_v1_CloseSessionResponse__Output>): grpc.ClientUnaryCall;
  
  CloseTab(argument: _perception_v1_CloseTabRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CloseTabResponse__Output>): grpc.ClientUnaryCall;
  CloseTab(argument: _perception_v1_CloseTabRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_CloseTabResponse__Output>): grpc.ClientUnaryCall;
  CloseTab(argument: _perception_v1_CloseTabRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CloseTabResponse__Output>): grpc.ClientUnaryCall;
  CloseTab(argument: _perception_v1_CloseTabRequest, callback: grpc.requestCallback<_perception_v1_CloseTabResponse__Output>): grpc.ClientUnaryCall;
  closeTab(argument: _perception_v1_CloseTabRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CloseTabResponse__Output>): grpc.ClientUnaryCall;
  closeTab(argument: _perception_v1_CloseTabRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_CloseTabResponse__Output>): grpc.ClientUnaryCall;
  closeTab(argument: _perception_v1_CloseTabRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CloseTabResponse__Output>): grpc.ClientUnaryCall;
  closeTab(argument: _perception_v1_CloseTabRequest, callback: grpc.requestCallback<_perception_v1_CloseTabResponse__Output>): grpc.ClientUnaryCall;
  
  CreateSession(argument: _perception_v1_CreateSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CreateSessionResponse__Output>): grpc.ClientUnaryCall;
  CreateSession(argument: _perception_v1_CreateSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_CreateSessionResponse__Output>): grpc.ClientUnaryCall;
  CreateSession(argument: _perception_v1_CreateSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CreateSessionResponse__Output>): grpc.ClientUnaryCall;
  CreateSession(argument: _perception_v1_CreateSessionRequest, callback: grpc.requestCallback<_perception_v1_CreateSessionResponse__Output>): grpc.ClientUnaryCall;
  createSession(argument: _perception_v1_CreateSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CreateSessionResponse__Output>): grpc.ClientUnaryCall;
  createSession(argument: _perception_v1_CreateSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_CreateSessionResponse__Output>): grpc.ClientUnaryCall;
  createSession(argument: _perception_v1_CreateSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CreateSessionResponse__Output>): grpc.ClientUnaryCall;
  createSession(argument: _perception_v1_CreateSessionRequest, callback: grpc.requestCallback<_perception_v1_CreateSessionResponse__Output>): grpc.ClientUnaryCall;
  
  GetSession(argument: _perception_v1_GetSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  GetSession(argument: _perception_v1_GetSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  GetSession(argument: _perception_v1_GetSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  GetSession(argument: _perception_v1_GetSessionRequest, callback: grpc.requestCallback<_perception_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  getSession(argument: _perception_v1_GetSessionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  getSession(argument: _perception_v1_GetSessionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  getSession(argument: _perception_v1_GetSessionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  getSession(argument: _perception_v1_GetSessionRequest, callback: grpc.requestCallback<_perception_v1_GetSessionResponse__Output>): grpc.ClientUnaryCall;
  
  GoBack(argument: _perception_v1_GoBackRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GoBackResponse__Output>): grpc.ClientUnaryCall;
  GoBack(argument: _perception_v1_GoBackRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_GoBackResponse__Output>): grpc.ClientUnaryCall;
  GoBack(argument: _perception_v1_GoBackRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GoBackResponse__Output>): grpc.ClientUnaryCall;
  GoBack(argument: _perception_v1_GoBackRequest, callback: grpc.requestCallback<_perception_v1_GoBackResponse__Output>): grpc.ClientUnaryCall;
  goBack(argument: _perception_v1_GoBackRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GoBackResponse__Output>): grpc.ClientUnaryCall;
  goBack(argument: _perception_v1_GoBackRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_GoBackResponse__Output>): grpc.ClientUnaryCall;
  goBack(argument: _perception_v1_GoBackRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GoBackResponse__Output>): grpc.ClientUnaryCall;
  goBack(argument: _perception_v1_GoBackRequest, callback: grpc.requestCallback<_perception_v1_GoBackResponse__Output>): grpc.ClientUnaryCall;
  
  GoForward(argument: _perception_v1_GoForwardRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GoForwardResponse__Output>): grpc.ClientUnaryCall;
  GoForward(argument: _perception_v1_GoForwardRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_GoForwardResponse__Output>): grpc.ClientUnaryCall;
  GoForward(argument: _perception_v1_GoForwardRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GoForwardResponse__Output>): grpc.ClientUnaryCall;
  GoForward(argument: _perception_v1_GoForwardRequest, callback: grpc.requestCallback<_perception_v1_GoForwardResponse__Output>): grpc.ClientUnaryCall;
  goForward(argument: _perception_v1_GoForwardRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GoForwardResponse__Output>): grpc.ClientUnaryCall;
  goForward(argument: _perception_v1_GoForwardRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_GoForwardResponse__Output>): grpc.ClientUnaryCall;
  goForward(argument: _perception_v1_GoForwardRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_GoForwardResponse__Output>): grpc.ClientUnaryCall;
  goForward(argument: _perception_v1_GoForwardRequest, callback: grpc.requestCallback<_perception_v1_GoForwardResponse__Output>): grpc.ClientUnaryCall;
  
  HandleDialog(argument: _perception_v1_HandleDialogRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_HandleDialogResponse__Output>): grpc.ClientUnaryCall;
  HandleDialog(argument: _perception_v1_HandleDialogRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_HandleDialogResponse__Output>): grpc.ClientUnaryCall;
  HandleDialog(argument: _perception_v1_HandleDialogRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_HandleDialogResponse__Output>): grpc.ClientUnaryCall;
  HandleDialog(argument: _perception_v1_HandleDialogRequest, callback: grpc.requestCallback<_perception_v1_HandleDialogResponse__Output>): grpc.ClientUnaryCall;
  handleDialog(argument: _perception_v1_HandleDialogRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_HandleDialogResponse__Output>): grpc.ClientUnaryCall;
  handleDialog(argument: _perception_v1_HandleDialogRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_HandleDialogResponse__Output>): grpc.ClientUnaryCall;
  handleDialog(argument: _perception_v1_HandleDialogRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_HandleDialogResponse__Output>): grpc.ClientUnaryCall;
  handleDialog(argument: _perception_v1_HandleDialogRequest, callback: grpc.requestCallback<_perception_v1_HandleDialogResponse__Output>): grpc.ClientUnaryCall;
  
  ListSessions(argument: _perception_v1_ListSessionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListSessions(argument: _perception_v1_ListSessionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListSessions(argument: _perception_v1_ListSessionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  ListSessions(argument: _perception_v1_ListSessionsRequest, callback: grpc.requestCallback<_perception_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _perception_v1_ListSessionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _perception_v1_ListSessionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _perception_v1_ListSessionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  listSessions(argument: _perception_v1_ListSessionsRequest, callback: grpc.requestCallback<_perception_v1_ListSessionsResponse__Output>): grpc.ClientUnaryCall;
  
  ListTabs(argument: _perception_v1_ListTabsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ListTabsResponse__Output>): grpc.ClientUnaryCall;
  ListTabs(argument: _perception_v1_ListTabsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_ListTabsResponse__Output>): grpc.ClientUnaryCall;
  ListTabs(argument: _perception_v1_ListTabsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ListTabsResponse__Output>): grpc.ClientUnaryCall;
  ListTabs(argument: _perception_v1_ListTabsRequest, callback: grpc.requestCallback<_perception_v1_ListTabsResponse__Output>): grpc.ClientUnaryCall;
  listTabs(argument: _perception_v1_ListTabsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ListTabsResponse__Output>): grpc.ClientUnaryCall;
  listTabs(argument: _perception_v1_ListTabsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_ListTabsResponse__Output>): grpc.ClientUnaryCall;
  listTabs(argument: _perception_v1_ListTabsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ListTabsResponse__Output>): grpc.ClientUnaryCall;
  listTabs(argument: _perception_v1_ListTabsRequest, callback: grpc.requestCallback<_perception_v1_ListTabsResponse__Output>): grpc.ClientUnaryCall;
  
  Navigate(argument: _perception_v1_NavigateRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_NavigateResponse__Output>): grpc.ClientUnaryCall;
  Navigate(argument: _perception_v1_NavigateRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_NavigateResponse__Output>): grpc.ClientUnaryCall;
  Navigate(argument: _perception_v1_NavigateRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_NavigateResponse__Output>): grpc.ClientUnaryCall;
  Navigate(argument: _perception_v1_NavigateRequest, callback: grpc.requestCallback<_perception_v1_NavigateResponse__Output>): grpc.ClientUnaryCall;
  navigate(argument: _perception_v1_NavigateRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_NavigateResponse__Output>): grpc.ClientUnaryCall;
  navigate(argument: _perception_v1_NavigateRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_NavigateResponse__Output>): grpc.ClientUnaryCall;
  navigate(argument: _perception_v1_NavigateRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_NavigateResponse__Output>): grpc.ClientUnaryCall;
  navigate(argument: _perception_v1_NavigateRequest, callback: grpc.requestCallback<_perception_v1_NavigateResponse__Output>): grpc.ClientUnaryCall;
  
  Reload(argument: _perception_v1_ReloadRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ReloadResponse__Output>): grpc.ClientUnaryCall;
  Reload(argument: _perception_v1_ReloadRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_ReloadResponse__Output>): grpc.ClientUnaryCall;
  Reload(argument: _perception_v1_ReloadRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ReloadResponse__Output>): grpc.ClientUnaryCall;
  Reload(argument: _perception_v1_ReloadRequest, callback: grpc.requestCallback<_perception_v1_ReloadResponse__Output>): grpc.ClientUnaryCall;
  reload(argument: _perception_v1_ReloadRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ReloadResponse__Output>): grpc.ClientUnaryCall;
  reload(argument: _perception_v1_ReloadRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_ReloadResponse__Output>): grpc.ClientUnaryCall;
  reload(argument: _perception_v1_ReloadRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ReloadResponse__Output>): grpc.ClientUnaryCall;
  reload(argument: _perception_v1_ReloadRequest, callback: grpc.requestCallback<_perception_v1_ReloadResponse__Output>): grpc.ClientUnaryCall;
  
  SelectTab(argument: _perception_v1_SelectTabRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_SelectTabResponse__Output>): grpc.ClientUnaryCall;
  SelectTab(argument: _perception_v1_SelectTabRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_SelectTabResponse__Output>): grpc.ClientUnaryCall;
  SelectTab(argument: _perception_v1_SelectTabRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_SelectTabResponse__Output>): grpc.ClientUnaryCall;
  SelectTab(argument: _perception_v1_SelectTabRequest, callback: grpc.requestCallback<_perception_v1_SelectTabResponse__Output>): grpc.ClientUnaryCall;
  selectTab(argument: _perception_v1_SelectTabRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_SelectTabResponse__Output>): grpc.ClientUnaryCall;
  selectTab(argument: _perception_v1_SelectTabRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_SelectTabResponse__Output>): grpc.ClientUnaryCall;
  selectTab(argument: _perception_v1_SelectTabRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_SelectTabResponse__Output>): grpc.ClientUnaryCall;
  selectTab(argument: _perception_v1_SelectTabRequest, callback: grpc.requestCallback<_perception_v1_SelectTabResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface SessionServiceHandlers extends grpc.UntypedServiceImplementation {
  CloseSession: grpc.handleUnaryCall<_perception_v1_CloseSessionRequest__Output, _perception_v1_CloseSessionResponse>;
  
  CloseTab: grpc.handleUnaryCall<_perception_v1_CloseTabRequest__Output, _perception_v1_CloseTabResponse>;
  
  CreateSession: grpc.handleUnaryCall<_perception_v1_CreateSessionRequest__Output, _perception_v1_CreateSessionResponse>;
  
  GetSession: grpc.handleUnaryCall<_perception_v1_GetSessionRequest__Output, _perception_v1_GetSessionResponse>;
  
  GoBack: grpc.handleUnaryCall<_perception_v1_GoBackRequest__Output, _perception_v1_GoBackResponse>;
  
  GoForward: grpc.handleUnaryCall<_perception_v1_GoForwardRequest__Output, _perception_v1_GoForwardResponse>;
  
  HandleDialog: grpc.handleUnaryCall<_perception_v1_HandleDialogRequest__Output, _perception_v1_HandleDialogResponse>;
  
  ListSessions: grpc.handleUnaryCall<_perception_v1_ListSessionsRequest__Output, _perception_v1_ListSessionsResponse>;
  
  ListTabs: grpc.handleUnaryCall<_perception_v1_ListTabsRequest__Output, _perception_v1_ListTabsResponse>;
  
  Navigate: grpc.handleUnaryCall<_perception_v1_NavigateRequest__Output, _perception_v1_NavigateResponse>;
  
  Reload: grpc.handleUnaryCall<_perception_v1_ReloadRequest__Output, _perception_v1_ReloadResponse>;
  
  SelectTab: grpc.handleUnaryCall<_perception_v1_SelectTabRequest__Output, _perception_v1_SelectTabResponse>;
  
}

export interface SessionServiceDefinition extends grpc.ServiceDefinition {
  CloseSession: MethodDefinition<_perception_v1_CloseSessionRequest, _perception_v1_CloseSessionResponse, _perception_v1_CloseSessionRequest__Output, _perception_v1_CloseSessionResponse__Output>
  CloseTab: MethodDefinition<_perception_v1_CloseTabRequest, _perception_v1_CloseTabResponse, _perception_v1_CloseTabRequest__Output, _perception_v1_CloseTabResponse__Output>
  CreateSession: MethodDefinition<_perception_v1_CreateSessionRequest, _perception_v1_CreateSessionResponse, _perception_v1_CreateSessionRequest__Output, _perception_v1_CreateSessionResponse__Output>
  GetSession: MethodDefinition<_perception_v1_GetSessionRequest, _perception_v1_GetSessionResponse, _perception_v1_GetSessionRequest__Output, _perception_v1_GetSessionResponse__Output>
  GoBack: MethodDefinition<_perception_v1_GoBackRequest, _perception_v1_GoBackResponse, _perception_v1_GoBackRequest__Output, _perception_v1_GoBackResponse__Output>
  GoForward: MethodDefinition<_perception_v1_GoForwardRequest, _perception_v1_GoForwardResponse, _perception_v1_GoForwardRequest__Output, _perception_v1_GoForwardResponse__Output>
  HandleDialog: MethodDefinition<_perception_v1_HandleDialogRequest, _perception_v1_HandleDialogResponse, _perception_v1_HandleDialogRequest__Output, _perception_v1_HandleDialogResponse__Output>
  ListSessions: MethodDefinition<_perception_v1_ListSessionsRequest, _perception_v1_ListSessionsResponse, _perception_v1_ListSessionsRequest__Output, _perception_v1_ListSessionsResponse__Output>
  ListTabs: MethodDefinition<_perception_v1_ListTabsRequest, _perception_v1_ListTabsResponse, _perception_v1_ListTabsRequest__Output, _perception_v1_ListTabsResponse__Output>
  Navigate: MethodDefinition<_perception_v1_NavigateRequest, _perception_v1_NavigateResponse, _perception_v1_NavigateRequest__Output, _perception_v1_NavigateResponse__Output>
  Reload: MethodDefinition<_perception_v1_ReloadRequest, _perception_v1_ReloadResponse, _perception_v1_ReloadRequest__Output, _perception_v1_ReloadResponse__Output>
  SelectTab: MethodDefinition<_perception_v1_SelectTabRequest, _perception_v1_SelectTabResponse, _perception_v1_SelectTabRequest__Output, _perception_v1_SelectTabResponse__Output>
}
