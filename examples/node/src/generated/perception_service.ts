import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from './google/protobuf/Duration.js';
import type { Box as _perception_v1_Box, Box__Output as _perception_v1_Box__Output } from './perception/v1/Box.js';
import type { CaptureScreenshotRequest as _perception_v1_CaptureScreenshotRequest, CaptureScreenshotRequest__Output as _perception_v1_CaptureScreenshotRequest__Output } from './perception/v1/CaptureScreenshotRequest.js';
import type { CaptureScreenshotResponse as _perception_v1_CaptureScreenshotResponse, CaptureScreenshotResponse__Output as _perception_v1_CaptureScreenshotResponse__Output } from './perception/v1/CaptureScreenshotResponse.js';
import type { CaptureSnapshotRequest as _perception_v1_CaptureSnapshotRequest, CaptureSnapshotRequest__Output as _perception_v1_CaptureSnapshotRequest__Output } from './perception/v1/CaptureSnapshotRequest.js';
import type { CaptureSnapshotResponse as _perception_v1_CaptureSnapshotResponse, CaptureSnapshotResponse__Output as _perception_v1_CaptureSnapshotResponse__Output } from './perception/v1/CaptureSnapshotResponse.js';
import type { Coordinate as _perception_v1_Coordinate, Coordinate__Output as _perception_v1_Coordinate__Output } from './perception/v1/Coordinate.js';
import type { Dialog as _perception_v1_Dialog, Dialog__Output as _perception_v1_Dialog__Output } from './perception/v1/Dialog.js';
import type { Download as _perception_v1_Download, Download__Output as _perception_v1_Download__Output } from './perception/v1/Download.js';
import type { Element as _perception_v1_Element, Element__Output as _perception_v1_Element__Output } from './perception/v1/Element.js';
import type { ElementChange as _perception_v1_ElementChange, ElementChange__Output as _perception_v1_ElementChange__Output } from './perception/v1/ElementChange.js';
import type { ElementMatch as _perception_v1_ElementMatch, ElementMatch__Output as _perception_v1_ElementMatch__Output } from './perception/v1/ElementMatch.js';
import type { FindElementsRequest as _perception_v1_FindElementsRequest, FindElementsRequest__Output as _perception_v1_FindElementsRequest__Output } from './perception/v1/FindElementsRequest.js';
import type { FindElementsResponse as _perception_v1_FindElementsResponse, FindElementsResponse__Output as _perception_v1_FindElementsResponse__Output } from './perception/v1/FindElementsResponse.js';
import type { Image as _perception_v1_Image, Image__Output as _perception_v1_Image__Output } from './perception/v1/Image.js';
import type { PerceptionServiceClient as _perception_v1_PerceptionServiceClient, PerceptionServiceDefinition as _perception_v1_PerceptionServiceDefinition } from './perception/v1/PerceptionService.js';
import type { Point as _perception_v1_Point, Point__Output as _perception_v1_Point__Output } from './perception/v1/Point.js';
import type { Scroll as _perception_v1_Scroll, Scroll__Output as _perception_v1_Scroll__Output } from './perception/v1/Scroll.js';
import type { Scrollable as _perception_v1_Scrollable, Scrollable__Output as _perception_v1_Scrollable__Output } from './perception/v1/Scrollable.js';
import type { Settle as _perception_v1_Settle, Settle__Output as _perception_v1_Settle__Output } from './perception/v1/Settle.js';
import type { Skipped as _perception_v1_Skipped, Skipped__Output as _perception_v1_Skipped__Output } from './perception/v1/Skipped.js';
import type { Snapshot as _perception_v1_Snapshot, Snapshot__Output as _perception_v1_Snapshot__Output } from './perception/v1/Snapshot.js';
import type { SnapshotDiff as _perception_v1_SnapshotDiff, SnapshotDiff__Output as _perception_v1_SnapshotDiff__Output } from './perception/v1/SnapshotDiff.js';
import type { SnapshotOptions as _perception_v1_SnapshotOptions, SnapshotOptions__Output as _perception_v1_SnapshotOptions__Output } from './perception/v1/SnapshotOptions.js';
import type { Tab as _perception_v1_Tab, Tab__Output as _perception_v1_Tab__Output } from './perception/v1/Tab.js';
import type { Target as _perception_v1_Target, Target__Output as _perception_v1_Target__Output } from './perception/v1/Target.js';
import type { Timing as _perception_v1_Timing, Timing__Output as _perception_v1_Timing__Output } from './perception/v1/Timing.js';
import type { Viewport as _perception_v1_Viewport, Viewport__Output as _perception_v1_Viewport__Output } from './perception/v1/Viewport.js';
import type { WatchSnapshotsRequest as _perception_v1_WatchSnapshotsRequest, WatchSnapshotsRequest__Output as _perception_v1_WatchSnapshotsRequest__Output } from './perception/v1/WatchSnapshotsRequest.js';
import type { WatchSnapshotsResponse as _perception_v1_WatchSnapshotsResponse, WatchSnapshotsResponse__Output as _perception_v1_WatchSnapshotsResponse__Output } from './perception/v1/WatchSnapshotsResponse.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  google: {
    protobuf: {
      Duration: MessageTypeDefinition<_google_protobuf_Duration, _google_protobuf_Duration__Output>
    }
  }
  perception: {
    v1: {
      Box: MessageTypeDefinition<_perception_v1_Box, _perception_v1_Box__Output>
      CaptureScreenshotRequest: MessageTypeDefinition<_perception_v1_CaptureScreenshotRequest, _perception_v1_CaptureScreenshotRequest__Output>
      CaptureScreenshotResponse: MessageTypeDefinition<_perception_v1_CaptureScreenshotResponse, _perception_v1_CaptureScreenshotResponse__Output>
      CaptureSnapshotRequest: MessageTypeDefinition<_perception_v1_CaptureSnapshotRequest, _perception_v1_CaptureSnapshotRequest__Output>
      CaptureSnapshotResponse: MessageTypeDefinition<_perception_v1_CaptureSnapshotResponse, _perception_v1_CaptureSnapshotResponse__Output>
      Coordinate: MessageTypeDefinition<_perception_v1_Coordinate, _perception_v1_Coordinate__Output>
      Dialog: MessageTypeDefinition<_perception_v1_Dialog, _perception_v1_Dialog__Output>
      Download: MessageTypeDefinition<_perception_v1_Download, _perception_v1_Download__Output>
      Element: MessageTypeDefinition<_perception_v1_Element, _perception_v1_Element__Output>
      ElementChange: MessageTypeDefinition<_perception_v1_ElementChange, _perception_v1_ElementChange__Output>
      ElementMatch: MessageTypeDefinition<_perception_v1_ElementMatch, _perception_v1_ElementMatch__Output>
      Engine: EnumTypeDefinition
      FindElementsRequest: MessageTypeDefinition<_perception_v1_FindElementsRequest, _perception_v1_FindElementsRequest__Output>
      FindElementsResponse: MessageTypeDefinition<_perception_v1_FindElementsResponse, _perception_v1_FindElementsResponse__Output>
      Image: MessageTypeDefinition<_perception_v1_Image, _perception_v1_Image__Output>
      ImageFormat: EnumTypeDefinition
      Mode: EnumTypeDefinition
      PerceptionService: SubtypeConstructor<typeof grpc.Client, _perception_v1_PerceptionServiceClient> & { service: _perception_v1_PerceptionServiceDefinition }
      Point: MessageTypeDefinition<_perception_v1_Point, _perception_v1_Point__Output>
      Reach: EnumTypeDefinition
      Scope: EnumTypeDefinition
      Scroll: MessageTypeDefinition<_perception_v1_Scroll, _perception_v1_Scroll__Output>
      Scrollable: MessageTypeDefinition<_perception_v1_Scrollable, _perception_v1_Scrollable__Output>
      Settle: MessageTypeDefinition<_perception_v1_Settle, _perception_v1_Settle__Output>
      Skipped: MessageTypeDefinition<_perception_v1_Skipped, _perception_v1_Skipped__Output>
      Snapshot: MessageTypeDefinition<_perception_v1_Snapshot, _perception_v1_Snapshot__Output>
      SnapshotDiff: MessageTypeDefinition<_perception_v1_SnapshotDiff, _perception_v1_SnapshotDiff__Output>
      SnapshotOptions: MessageTypeDefinition<_perception_v1_SnapshotOptions, _perception_v1_SnapshotOptions__Output>
      Source: EnumTypeDefinition
      Tab: MessageTypeDefinition<_perception_v1_Tab, _perception_v1_Tab__Output>
      Target: MessageTypeDefinition<_perception_v1_Target, _perception_v1_Target__Output>
      TextStyle: EnumTypeDefinition
      Timing: MessageTypeDefinition<_perception_v1_Timing, _perception_v1_Timing__Output>
      View: EnumTypeDefinition
      Viewport: MessageTypeDefinition<_perception_v1_Viewport, _perception_v1_Viewport__Output>
      WatchSnapshotsRequest: MessageTypeDefinition<_perception_v1_WatchSnapshotsRequest, _perception_v1_WatchSnapshotsRequest__Output>
      WatchSnapshotsResponse: MessageTypeDefinition<_perception_v1_WatchSnapshotsResponse, _perception_v1_WatchSnapshotsResponse__Output>
    }
  }
}

