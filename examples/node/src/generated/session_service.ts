import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from './google/protobuf/Duration.js';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.js';
import type { Box as _perception_v1_Box, Box__Output as _perception_v1_Box__Output } from './perception/v1/Box.js';
import type { CloseSessionRequest as _perception_v1_CloseSessionRequest, CloseSessionRequest__Output as _perception_v1_CloseSessionRequest__Output } from './perception/v1/CloseSessionRequest.js';
import type { CloseSessionResponse as _perception_v1_CloseSessionResponse, CloseSessionResponse__Output as _perception_v1_CloseSessionResponse__Output } from './perception/v1/CloseSessionResponse.js';
import type { CloseTabRequest as _perception_v1_CloseTabRequest, CloseTabRequest__Output as _perception_v1_CloseTabRequest__Output } from './perception/v1/CloseTabRequest.js';
import type { CloseTabResponse as _perception_v1_CloseTabResponse, CloseTabResponse__Output as _perception_v1_CloseTabResponse__Output } from './perception/v1/CloseTabResponse.js';
import type { Coordinate as _perception_v1_Coordinate, Coordinate__Output as _perception_v1_Coordinate__Output } from './perception/v1/Coordinate.js';
import type { CreateSessionRequest as _perception_v1_CreateSessionRequest, CreateSessionRequest__Output as _perception_v1_CreateSessionRequest__Output } from './perception/v1/CreateSessionRequest.js';
import type { CreateSessionResponse as _perception_v1_CreateSessionResponse, CreateSessionResponse__Output as _perception_v1_CreateSessionResponse__Output } from './perception/v1/CreateSessionResponse.js';
import type { Dialog as _perception_v1_Dialog, Dialog__Output as _perception_v1_Dialog__Output } from './perception/v1/Dialog.js';
import type { Download as _perception_v1_Download, Download__Output as _perception_v1_Download__Output } from './perception/v1/Download.js';
import type { Element as _perception_v1_Element, Element__Output as _perception_v1_Element__Output } from './perception/v1/Element.js';
import type { ElementChange as _perception_v1_ElementChange, ElementChange__Output as _perception_v1_ElementChange__Output } from './perception/v1/ElementChange.js';
import type { GetSessionRequest as _perception_v1_GetSessionRequest, GetSessionRequest__Output as _perception_v1_GetSessionRequest__Output } from './perception/v1/GetSessionRequest.js';
import type { GetSessionResponse as _perception_v1_GetSessionResponse, GetSessionResponse__Output as _perception_v1_GetSessionResponse__Output } from './perception/v1/GetSessionResponse.js';
import type { GoBackRequest as _perception_v1_GoBackRequest, GoBackRequest__Output as _perception_v1_GoBackRequest__Output } from './perception/v1/GoBackRequest.js';
import type { GoBackResponse as _perception_v1_GoBackResponse, GoBackResponse__Output as _perception_v1_GoBackResponse__Output } from './perception/v1/GoBackResponse.js';
import type { GoForwardRequest as _perception_v1_GoForwardRequest, GoForwardRequest__Output as _perception_v1_GoForwardRequest__Output } from './perception/v1/GoForwardRequest.js';
import type { GoForwardResponse as _perception_v1_GoForwardResponse, GoForwardResponse__Output as _perception_v1_GoForwardResponse__Output } from './perception/v1/GoForwardResponse.js';
import type { HandleDialogRequest as _perception_v1_HandleDialogRequest, HandleDialogRequest__Output as _perception_v1_HandleDialogRequest__Output } from './perception/v1/HandleDialogRequest.js';
import type { HandleDialogResponse as _perception_v1_HandleDialogResponse, HandleDialogResponse__Output as _perception_v1_HandleDialogResponse__Output } from './perception/v1/HandleDialogResponse.js';
import type { Image as _perception_v1_Image, Image__Output as _perception_v1_Image__Output } from './perception/v1/Image.js';
import type { ListSessionsRequest as _perception_v1_ListSessionsRequest, ListSessionsRequest__Output as _perception_v1_ListSessionsRequest__Output } from './perception/v1/ListSessionsRequest.js';
import type { ListSessionsResponse as _perception_v1_ListSessionsResponse, ListSessionsResponse__Output as _perception_v1_ListSessionsResponse__Output } from './perception/v1/ListSessionsResponse.js';
import type { ListTabsRequest as _perception_v1_ListTabsRequest, ListTabsRequest__Output as _perception_v1_ListTabsRequest__Output } from './perception/v1/ListTabsRequest.js';
import type { ListTabsResponse as _perception_v1_ListTabsResponse, ListTabsResponse__Output as _perception_v1_ListTabsResponse__Output } from './perception/v1/ListTabsResponse.js';
import type { NavigateRequest as _perception_v1_NavigateRequest, NavigateRequest__Output as _perception_v1_NavigateRequest__Output } from './perception/v1/NavigateRequest.js';
import type { NavigateResponse as _perception_v1_NavigateResponse, NavigateResponse__Output as _perception_v1_NavigateResponse__Output } from './perception/v1/NavigateResponse.js';
import type { NavigationResult as _perception_v1_NavigationResult, NavigationResult__Output as _perception_v1_NavigationResult__Output } from './perception/v1/NavigationResult.js';
import type { Point as _perception_v1_Point, Point__Output as _perception_v1_Point__Output } from './perception/v1/Point.js';
import type { ReloadRequest as _perception_v1_ReloadRequest, ReloadRequest__Output as _perception_v1_ReloadRequest__Output } from './perception/v1/ReloadRequest.js';
import type { ReloadResponse as _perception_v1_ReloadResponse, ReloadResponse__Output as _perception_v1_ReloadResponse__Output } from './perception/v1/ReloadResponse.js';
import type { Scroll as _perception_v1_Scroll, Scroll__Output as _perception_v1_Scroll__Output } from './perception/v1/Scroll.js';
import type { Scrollable as _perception_v1_Scrollable, Scrollable__Output as _perception_v1_Scrollable__Output } from './perception/v1/Scrollable.js';
import type { SelectTabRequest as _perception_v1_SelectTabRequest, SelectTabRequest__Output as _perception_v1_SelectTabRequest__Output } from './perception/v1/SelectTabRequest.js';
import type { SelectTabResponse as _perception_v1_SelectTabResponse, SelectTabResponse__Output as _perception_v1_SelectTabResponse__Output } from './perception/v1/SelectTabResponse.js';
import type { Session as _perception_v1_Session, Session__Output as _perception_v1_Session__Output } from './perception/v1/Session.js';
import type { SessionOptions as _perception_v1_SessionOptions, SessionOptions__Output as _perception_v1_SessionOptions__Output } from './perception/v1/SessionOptions.js';
import type { SessionServiceClient as _perception_v1_SessionServiceClient, SessionServiceDefinition as _perception_v1_SessionServiceDefinition } from './perception/v1/SessionService.js';
import type { Settle as _perception_v1_Settle, Settle__Output as _perception_v1_Settle__Output } from './perception/v1/Settle.js';
import type { Skipped as _perception_v1_Skipped, Skipped__Output as _perception_v1_Skipped__Output } from './perception/v1/Skipped.js';
import type { Snapshot as _perception_v1_Snapshot, Snapshot__Output as _perception_v1_Snapshot__Output } from './perception/v1/Snapshot.js';
import type { SnapshotDiff as _perception_v1_SnapshotDiff, SnapshotDiff__Output as _perception_v1_SnapshotDiff__Output } from './perception/v1/SnapshotDiff.js';
import type { Tab as _perception_v1_Tab, Tab__Output as _perception_v1_Tab__Output } from './perception/v1/Tab.js';
import type { Target as _perception_v1_Target, Target__Output as _perception_v1_Target__Output } from './perception/v1/Target.js';
import type { Timing as _perception_v1_Timing, Timing__Output as _perception_v1_Timing__Output } from './perception/v1/Timing.js';
import type { Viewport as _perception_v1_Viewport, Viewport__Output as _perception_v1_Viewport__Output } from './perception/v1/Viewport.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  google: {
    protobuf: {
      Duration: MessageTypeDefinition<_google_protobuf_Duration, _google_protobuf_Duration__Output>
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
  }
  perception: {
    v1: {
      Box: MessageTypeDefinition<_perception_v1_Box, _perception_v1_Box__Output>
      CloseSessionRequest: MessageTypeDefinition<_perception_v1_CloseSessionRequest, _perception_v1_CloseSessionRequest__Output>
      CloseSessionResponse: MessageTypeDefinition<_perception_v1_CloseSessionResponse, _perception_v1_CloseSessionResponse__Output>
      CloseTabRequest: MessageTypeDefinition<_perception_v1_CloseTabRequest, _perception_v1_CloseTabRequest__Output>
      CloseTabResponse: MessageTypeDefinition<_perception_v1_CloseTabResponse, _perception_v1_CloseTabResponse__Output>
      ColorScheme: EnumTypeDefinition
      Coordinate: MessageTypeDefinition<_perception_v1_Coordinate, _perception_v1_Coordinate__Output>
      CreateSessionRequest: MessageTypeDefinition<_perception_v1_CreateSessionRequest, _perception_v1_CreateSessionRequest__Output>
      CreateSessionResponse: MessageTypeDefinition<_perception_v1_CreateSessionResponse, _perception_v1_CreateSessionResponse__Output>
      Dialog: MessageTypeDefinition<_perception_v1_Dialog, _perception_v1_Dialog__Output>
      Download: MessageTypeDefinition<_perception_v1_Download, _perception_v1_Download__Output>
      Element: MessageTypeDefinition<_perception_v1_Element, _perception_v1_Element__Output>
      ElementChange: MessageTypeDefinition<_perception_v1_ElementChange, _perception_v1_ElementChange__Output>
      GetSessionRequest: MessageTypeDefinition<_perception_v1_GetSessionRequest, _perception_v1_GetSessionRequest__Output>
      GetSessionResponse: MessageTypeDefinition<_perception_v1_GetSessionResponse, _perception_v1_GetSessionResponse__Output>
      GoBackRequest: MessageTypeDefinition<_perception_v1_GoBackRequest, _perception_v1_GoBackRequest__Output>
      GoBackResponse: MessageTypeDefinition<_perception_v1_GoBackResponse, _perception_v1_GoBackResponse__Output>
      GoForwardRequest: MessageTypeDefinition<_perception_v1_GoForwardRequest, _perception_v1_GoForwardRequest__Output>
      GoForwardResponse: MessageTypeDefinition<_perception_v1_GoForwardResponse, _perception_v1_GoForwardResponse__Output>
      HandleDialogRequest: MessageTypeDefinition<_perception_v1_HandleDialogRequest, _perception_v1_HandleDialogRequest__Output>
      HandleDialogResponse: MessageTypeDefinition<_perception_v1_HandleDialogResponse, _perception_v1_HandleDialogResponse__Output>
      Image: MessageTypeDefinition<_perception_v1_Image, _perception_v1_Image__Output>
      ListSessionsRequest: MessageTypeDefinition<_perception_v1_ListSessionsRequest, _perception_v1_ListSessionsRequest__Output>
      ListSessionsResponse: MessageTypeDefinition<_perception_v1_ListSessionsResponse, _perception_v1_ListSessionsResponse__Output>
      ListTabsRequest: MessageTypeDefinition<_perception_v1_ListTabsRequest, _perception_v1_ListTabsRequest__Output>
      ListTabsResponse: MessageTypeDefinition<_perception_v1_ListTabsResponse, _perception_v1_ListTabsResponse__Output>
      NavigateRequest: MessageTypeDefinition<_perception_v1_NavigateRequest, _perception_v1_NavigateRequest__Output>
      NavigateResponse: MessageTypeDefinition<_perception_v1_NavigateResponse, _perception_v1_NavigateResponse__Output>
      NavigationResult: MessageTypeDefinition<_perception_v1_NavigationResult, _perception_v1_NavigationResult__Output>
      Point: MessageTypeDefinition<_perception_v1_Point, _perception_v1_Point__Output>
      Reach: EnumTypeDefinition
      ReloadRequest: MessageTypeDefinition<_perception_v1_ReloadRequest, _perception_v1_ReloadRequest__Output>
      ReloadResponse: MessageTypeDefinition<_perception_v1_ReloadResponse, _perception_v1_ReloadResponse__Output>
      Scroll: MessageTypeDefinition<_perception_v1_Scroll, _perception_v1_Scroll__Output>
      Scrollable: MessageTypeDefinition<_perception_v1_Scrollable, _perception_v1_Scrollable__Output>
      SelectTabRequest: MessageTypeDefinition<_perception_v1_SelectTabRequest, _perception_v1_SelectTabRequest__Output>
      SelectTabResponse: MessageTypeDefinition<_perception_v1_SelectTabResponse, _perception_v1_SelectTabResponse__Output>
      Session: MessageTypeDefinition<_perception_v1_Session, _perception_v1_Session__Output>
      SessionOptions: MessageTypeDefinition<_perception_v1_SessionOptions, _perception_v1_SessionOptions__Output>
      SessionService: SubtypeConstructor<typeof grpc.Client, _perception_v1_SessionServiceClient> & { service: _perception_v1_SessionServiceDefinition }
      Settle: MessageTypeDefinition<_perception_v1_Settle, _perception_v1_Settle__Output>
      Skipped: MessageTypeDefinition<_perception_v1_Skipped, _perception_v1_Skipped__Output>
      Snapshot: MessageTypeDefinition<_perception_v1_Snapshot, _perception_v1_Snapshot__Output>
      SnapshotDiff: MessageTypeDefinition<_perception_v1_SnapshotDiff, _perception_v1_SnapshotDiff__Output>
      Source: EnumTypeDefinition
      Tab: MessageTypeDefinition<_perception_v1_Tab, _perception_v1_Tab__Output>
      Target: MessageTypeDefinition<_perception_v1_Target, _perception_v1_Target__Output>
      Timing: MessageTypeDefinition<_perception_v1_Timing, _perception_v1_Timing__Output>
      Viewport: MessageTypeDefinition<_perception_v1_Viewport, _perception_v1_Viewport__Output>
      WaitUntil: EnumTypeDefinition
    }
  }
}

