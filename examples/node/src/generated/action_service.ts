import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from './google/protobuf/Duration.js';
import type { ListValue as _google_protobuf_ListValue, ListValue__Output as _google_protobuf_ListValue__Output } from './google/protobuf/ListValue.js';
import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from './google/protobuf/Struct.js';
import type { Value as _google_protobuf_Value, Value__Output as _google_protobuf_Value__Output } from './google/protobuf/Value.js';
import type { ActionOptions as _perception_v1_ActionOptions, ActionOptions__Output as _perception_v1_ActionOptions__Output } from './perception/v1/ActionOptions.js';
import type { ActionResult as _perception_v1_ActionResult, ActionResult__Output as _perception_v1_ActionResult__Output } from './perception/v1/ActionResult.js';
import type { ActionServiceClient as _perception_v1_ActionServiceClient, ActionServiceDefinition as _perception_v1_ActionServiceDefinition } from './perception/v1/ActionService.js';
import type { Box as _perception_v1_Box, Box__Output as _perception_v1_Box__Output } from './perception/v1/Box.js';
import type { ClickRequest as _perception_v1_ClickRequest, ClickRequest__Output as _perception_v1_ClickRequest__Output } from './perception/v1/ClickRequest.js';
import type { ClickResponse as _perception_v1_ClickResponse, ClickResponse__Output as _perception_v1_ClickResponse__Output } from './perception/v1/ClickResponse.js';
import type { Coordinate as _perception_v1_Coordinate, Coordinate__Output as _perception_v1_Coordinate__Output } from './perception/v1/Coordinate.js';
import type { Dialog as _perception_v1_Dialog, Dialog__Output as _perception_v1_Dialog__Output } from './perception/v1/Dialog.js';
import type { Download as _perception_v1_Download, Download__Output as _perception_v1_Download__Output } from './perception/v1/Download.js';
import type { DragRequest as _perception_v1_DragRequest, DragRequest__Output as _perception_v1_DragRequest__Output } from './perception/v1/DragRequest.js';
import type { DragResponse as _perception_v1_DragResponse, DragResponse__Output as _perception_v1_DragResponse__Output } from './perception/v1/DragResponse.js';
import type { Element as _perception_v1_Element, Element__Output as _perception_v1_Element__Output } from './perception/v1/Element.js';
import type { ElementChange as _perception_v1_ElementChange, ElementChange__Output as _perception_v1_ElementChange__Output } from './perception/v1/ElementChange.js';
import type { EvaluateRequest as _perception_v1_EvaluateRequest, EvaluateRequest__Output as _perception_v1_EvaluateRequest__Output } from './perception/v1/EvaluateRequest.js';
import type { EvaluateResponse as _perception_v1_EvaluateResponse, EvaluateResponse__Output as _perception_v1_EvaluateResponse__Output } from './perception/v1/EvaluateResponse.js';
import type { FileContent as _perception_v1_FileContent, FileContent__Output as _perception_v1_FileContent__Output } from './perception/v1/FileContent.js';
import type { HoverRequest as _perception_v1_HoverRequest, HoverRequest__Output as _perception_v1_HoverRequest__Output } from './perception/v1/HoverRequest.js';
import type { HoverResponse as _perception_v1_HoverResponse, HoverResponse__Output as _perception_v1_HoverResponse__Output } from './perception/v1/HoverResponse.js';
import type { Image as _perception_v1_Image, Image__Output as _perception_v1_Image__Output } from './perception/v1/Image.js';
import type { Point as _perception_v1_Point, Point__Output as _perception_v1_Point__Output } from './perception/v1/Point.js';
import type { PressKeyRequest as _perception_v1_PressKeyRequest, PressKeyRequest__Output as _perception_v1_PressKeyRequest__Output } from './perception/v1/PressKeyRequest.js';
import type { PressKeyResponse as _perception_v1_PressKeyResponse, PressKeyResponse__Output as _perception_v1_PressKeyResponse__Output } from './perception/v1/PressKeyResponse.js';
import type { Scroll as _perception_v1_Scroll, Scroll__Output as _perception_v1_Scroll__Output } from './perception/v1/Scroll.js';
import type { ScrollRequest as _perception_v1_ScrollRequest, ScrollRequest__Output as _perception_v1_ScrollRequest__Output } from './perception/v1/ScrollRequest.js';
import type { ScrollResponse as _perception_v1_ScrollResponse, ScrollResponse__Output as _perception_v1_ScrollResponse__Output } from './perception/v1/ScrollResponse.js';
import type { Scrollable as _perception_v1_Scrollable, Scrollable__Output as _perception_v1_Scrollable__Output } from './perception/v1/Scrollable.js';
import type { SelectOptionRequest as _perception_v1_SelectOptionRequest, SelectOptionRequest__Output as _perception_v1_SelectOptionRequest__Output } from './perception/v1/SelectOptionRequest.js';
import type { SelectOptionResponse as _perception_v1_SelectOptionResponse, SelectOptionResponse__Output as _perception_v1_SelectOptionResponse__Output } from './perception/v1/SelectOptionResponse.js';
import type { Settle as _perception_v1_Settle, Settle__Output as _perception_v1_Settle__Output } from './perception/v1/Settle.js';
import type { Skipped as _perception_v1_Skipped, Skipped__Output as _perception_v1_Skipped__Output } from './perception/v1/Skipped.js';
import type { Snapshot as _perception_v1_Snapshot, Snapshot__Output as _perception_v1_Snapshot__Output } from './perception/v1/Snapshot.js';
import type { SnapshotDiff as _perception_v1_SnapshotDiff, SnapshotDiff__Output as _perception_v1_SnapshotDiff__Output } from './perception/v1/SnapshotDiff.js';
import type { Tab as _perception_v1_Tab, Tab__Output as _perception_v1_Tab__Output } from './perception/v1/Tab.js';
import type { Target as _perception_v1_Target, Target__Output as _perception_v1_Target__Output } from './perception/v1/Target.js';
import type { Timing as _perception_v1_Timing, Timing__Output as _perception_v1_Timing__Output } from './perception/v1/Timing.js';
import type { TypeTextRequest as _perception_v1_TypeTextRequest, TypeTextRequest__Output as _perception_v1_TypeTextRequest__Output } from './perception/v1/TypeTextRequest.js';
import type { TypeTextResponse as _perception_v1_TypeTextResponse, TypeTextResponse__Output as _perception_v1_TypeTextResponse__Output } from './perception/v1/TypeTextResponse.js';
import type { UploadFilesRequest as _perception_v1_UploadFilesRequest, UploadFilesRequest__Output as _perception_v1_UploadFilesRequest__Output } from './perception/v1/UploadFilesRequest.js';
import type { UploadFilesResponse as _perception_v1_UploadFilesResponse, UploadFilesResponse__Output as _perception_v1_UploadFilesResponse__Output } from './perception/v1/UploadFilesResponse.js';
import type { Viewport as _perception_v1_Viewport, Viewport__Output as _perception_v1_Viewport__Output } from './perception/v1/Viewport.js';
import type { WaitForRequest as _perception_v1_WaitForRequest, WaitForRequest__Output as _perception_v1_WaitForRequest__Output } from './perception/v1/WaitForRequest.js';
import type { WaitForResponse as _perception_v1_WaitForResponse, WaitForResponse__Output as _perception_v1_WaitForResponse__Output } from './perception/v1/WaitForResponse.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  google: {
    protobuf: {
      Duration: MessageTypeDefinition<_google_protobuf_Duration, _google_protobuf_Duration__Output>
      ListValue: MessageTypeDefinition<_google_protobuf_ListValue, _google_protobuf_ListValue__Output>
      NullValue: EnumTypeDefinition
      Struct: MessageTypeDefinition<_google_protobuf_Struct, _google_protobuf_Struct__Output>
      Value: MessageTypeDefinition<_google_protobuf_Value, _google_protobuf_Value__Output>
    }
  }
  perception: {
    v1: {
      ActionOptions: MessageTypeDefinition<_perception_v1_ActionOptions, _perception_v1_ActionOptions__Output>
      ActionResult: MessageTypeDefinition<_perception_v1_ActionResult, _perception_v1_ActionResult__Output>
      ActionService: SubtypeConstructor<typeof grpc.Client, _perception_v1_ActionServiceClient> & { service: _perception_v1_ActionServiceDefinition }
      Box: MessageTypeDefinition<_perception_v1_Box, _perception_v1_Box__Output>
      ClickRequest: MessageTypeDefinition<_perception_v1_ClickRequest, _perception_v1_ClickRequest__Output>
      ClickResponse: MessageTypeDefinition<_perception_v1_ClickResponse, _perception_v1_ClickResponse__Output>
      Coordinate: MessageTypeDefinition<_perception_v1_Coordinate, _perception_v1_Coordinate__Output>
      Dialog: MessageTypeDefinition<_perception_v1_Dialog, _perception_v1_Dialog__Output>
      Download: MessageTypeDefinition<_perception_v1_Download, _perception_v1_Download__Output>
      DragRequest: MessageTypeDefinition<_perception_v1_DragRequest, _perception_v1_DragRequest__Output>
      DragResponse: MessageTypeDefinition<_perception_v1_DragResponse, _perception_v1_DragResponse__Output>
      Element: MessageTypeDefinition<_perception_v1_Element, _perception_v1_Element__Output>
      ElementChange: MessageTypeDefinition<_perception_v1_ElementChange, _perception_v1_ElementChange__Output>
      EvaluateRequest: MessageTypeDefinition<_perception_v1_EvaluateRequest, _perception_v1_EvaluateRequest__Output>
      EvaluateResponse: MessageTypeDefinition<_perception_v1_EvaluateResponse, _perception_v1_EvaluateResponse__Output>
      FileContent: MessageTypeDefinition<_perception_v1_FileContent, _perception_v1_FileContent__Output>
      HoverRequest: MessageTypeDefinition<_perception_v1_HoverRequest, _perception_v1_HoverRequest__Output>
      HoverResponse: MessageTypeDefinition<_perception_v1_HoverResponse, _perception_v1_HoverResponse__Output>
      Image: MessageTypeDefinition<_perception_v1_Image, _perception_v1_Image__Output>
      Modifier: EnumTypeDefinition
      MouseButton: EnumTypeDefinition
      Point: MessageTypeDefinition<_perception_v1_Point, _perception_v1_Point__Output>
      PressKeyRequest: MessageTypeDefinition<_perception_v1_PressKeyRequest, _perception_v1_PressKeyRequest__Output>
      PressKeyResponse: MessageTypeDefinition<_perception_v1_PressKeyResponse, _perception_v1_PressKeyResponse__Output>
      Reach: EnumTypeDefinition
      Scroll: MessageTypeDefinition<_perception_v1_Scroll, _perception_v1_Scroll__Output>
      ScrollRequest: MessageTypeDefinition<_perception_v1_ScrollRequest, _perception_v1_ScrollRequest__Output>
      ScrollResponse: MessageTypeDefinition<_perception_v1_ScrollResponse, _perception_v1_ScrollResponse__Output>
      Scrollable: MessageTypeDefinition<_perception_v1_Scrollable, _perception_v1_Scrollable__Output>
      SelectOptionRequest: MessageTypeDefinition<_perception_v1_SelectOptionRequest, _perception_v1_SelectOptionRequest__Output>
      SelectOptionResponse: MessageTypeDefinition<_perception_v1_SelectOptionResponse, _perception_v1_SelectOptionResponse__Output>
      Settle: MessageTypeDefinition<_perception_v1_Settle, _perception_v1_Settle__Output>
      Skipped: MessageTypeDefinition<_perception_v1_Skipped, _perception_v1_Skipped__Output>
      Snapshot: MessageTypeDefinition<_perception_v1_Snapshot, _perception_v1_Snapshot__Output>
      SnapshotDiff: MessageTypeDefinition<_perception_v1_SnapshotDiff, _perception_v1_SnapshotDiff__Output>
      Source: EnumTypeDefinition
      Tab: MessageTypeDefinition<_perception_v1_Tab, _perception_v1_Tab__Output>
      Target: MessageTypeDefinition<_perception_v1_Target, _perception_v1_Target__Output>
      Timing: MessageTypeDefinition<_perception_v1_Timing, _perception_v1_Timing__Output>
      TypeTextRequest: MessageTypeDefinition<_perception_v1_TypeTextRequest, _perception_v1_TypeTextRequest__Output>
      TypeTextResponse: MessageTypeDefinition<_perception_v1_TypeTextResponse, _perception_v1_TypeTextResponse__Output>
      UploadFilesRequest: MessageTypeDefinition<_perception_v1_UploadFilesRequest, _perception_v1_UploadFilesRequest__Output>
      UploadFilesResponse: MessageTypeDefinition<_perception_v1_UploadFilesResponse, _perception_v1_UploadFilesResponse__Output>
      Viewport: MessageTypeDefinition<_perception_v1_Viewport, _perception_v1_Viewport__Output>
      WaitForRequest: MessageTypeDefinition<_perception_v1_WaitForRequest, _perception_v1_WaitForRequest__Output>
      WaitForResponse: MessageTypeDefinition<_perception_v1_WaitForResponse, _perception_v1_WaitForResponse__Output>
    }
  }
}

