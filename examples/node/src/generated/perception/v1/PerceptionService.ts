// Original file: ../../proto/perception/v1/perception_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CaptureScreenshotRequest as _perception_v1_CaptureScreenshotRequest, CaptureScreenshotRequest__Output as _perception_v1_CaptureScreenshotRequest__Output } from '../../perception/v1/CaptureScreenshotRequest.js';
import type { CaptureScreenshotResponse as _perception_v1_CaptureScreenshotResponse, CaptureScreenshotResponse__Output as _perception_v1_CaptureScreenshotResponse__Output } from '../../perception/v1/CaptureScreenshotResponse.js';
import type { CaptureSnapshotRequest as _perception_v1_CaptureSnapshotRequest, CaptureSnapshotRequest__Output as _perception_v1_CaptureSnapshotRequest__Output } from '../../perception/v1/CaptureSnapshotRequest.js';
import type { CaptureSnapshotResponse as _perception_v1_CaptureSnapshotResponse, CaptureSnapshotResponse__Output as _perception_v1_CaptureSnapshotResponse__Output } from '../../perception/v1/CaptureSnapshotResponse.js';
import type { FindElementsRequest as _perception_v1_FindElementsRequest, FindElementsRequest__Output as _perception_v1_FindElementsRequest__Output } from '../../perception/v1/FindElementsRequest.js';
import type { FindElementsResponse as _perception_v1_FindElementsResponse, FindElementsResponse__Output as _perception_v1_FindElementsResponse__Output } from '../../perception/v1/FindElementsResponse.js';
import type { WatchSnapshotsRequest as _perception_v1_WatchSnapshotsRequest, WatchSnapshotsRequest__Output as _perception_v1_WatchSnapshotsRequest__Output } from '../../perception/v1/WatchSnapshotsRequest.js';
import type { WatchSnapshotsResponse as _perception_v1_WatchSnapshotsResponse, WatchSnapshotsResponse__Output as _perception_v1_WatchSnapshotsResponse__Output } from '../../perception/v1/WatchSnapshotsResponse.js';

export interface PerceptionServiceClient extends grpc.Client {
  CaptureScreenshot(argument: _perception_v1_CaptureScreenshotRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CaptureScreenshotResponse__Output>): grpc.ClientUnaryCall;
  CaptureScreenshot(argument: _perception_v1_CaptureScreenshotRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_CaptureScreenshotResponse__Output>): grpc.ClientUnaryCall;
  CaptureScreenshot(argument: _perception_v1_CaptureScreenshotRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CaptureScreenshotResponse__Output>): grpc.ClientUnaryCall;
  CaptureScreenshot(argument: _perception_v1_CaptureScreenshotRequest, callback: grpc.requestCallback<_perception_v1_CaptureScreenshotResponse__Output>): grpc.ClientUnaryCall;
  captureScreenshot(argument: _perception_v1_CaptureScreenshotRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CaptureScreenshotResponse__Output>): grpc.ClientUnaryCall;
  captureScreenshot(argument: _perception_v1_CaptureScreenshotRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_CaptureScreenshotResponse__Output>): grpc.ClientUnaryCall;
  captureScreenshot(argument: _perception_v1_CaptureScreenshotRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CaptureScreenshotResponse__Output>): grpc.ClientUnaryCall;
  captureScreenshot(argument: _perception_v1_CaptureScreenshotRequest, callback: grpc.requestCallback<_perception_v1_CaptureScreenshotResponse__Output>): grpc.ClientUnaryCall;
  
  CaptureSnapshot(argument: _perception_v1_CaptureSnapshotRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CaptureSnapshotResponse__Output>): grpc.ClientUnaryCall;
  CaptureSnapshot(argument: _perception_v1_CaptureSnapshotRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_CaptureSnapshotResponse__Output>): grpc.ClientUnaryCall;
  CaptureSnapshot(argument: _perception_v1_CaptureSnapshotRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CaptureSnapshotResponse__Output>): grpc.ClientUnaryCall;
  CaptureSnapshot(argument: _perception_v1_CaptureSnapshotRequest, callback: grpc.requestCallback<_perception_v1_CaptureSnapshotResponse__Output>): grpc.ClientUnaryCall;
  captureSnapshot(argument: _perception_v1_CaptureSnapshotRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CaptureSnapshotResponse__Output>): grpc.ClientUnaryCall;
  captureSnapshot(argument: _perception_v1_CaptureSnapshotRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_CaptureSnapshotResponse__Output>): grpc.ClientUnaryCall;
  captureSnapshot(argument: _perception_v1_CaptureSnapshotRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_CaptureSnapshotResponse__Output>): grpc.ClientUnaryCall;
  captureSnapshot(argument: _perception_v1_CaptureSnapshotRequest, callback: grpc.requestCallback<_perception_v1_CaptureSnapshotResponse__Output>): grpc.ClientUnaryCall;
  
  FindElements(argument: _perception_v1_FindElementsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_FindElementsResponse__Output>): grpc.ClientUnaryCall;
  FindElements(argument: _perception_v1_FindElementsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_FindElementsResponse__Output>): grpc.ClientUnaryCall;
  FindElements(argument: _perception_v1_FindElementsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_FindElementsResponse__Output>): grpc.ClientUnaryCall;
  FindElements(argument: _perception_v1_FindElementsRequest, callback: grpc.requestCallback<_perception_v1_FindElementsResponse__Output>): grpc.ClientUnaryCall;
  findElements(argument: _perception_v1_FindElementsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_FindElementsResponse__Output>): grpc.ClientUnaryCall;
  findElements(argument: _perception_v1_FindElementsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_FindElementsResponse__Output>): grpc.ClientUnaryCall;
  findElements(argument: _perception_v1_FindElementsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_FindElementsResponse__Output>): grpc.ClientUnaryCall;
  findElements(argument: _perception_v1_FindElementsRequest, callback: grpc.requestCallback<_perception_v1_FindElementsResponse__Output>): grpc.ClientUnaryCall;
  
  WatchSnapshots(argument: _perception_v1_WatchSnapshotsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_perception_v1_WatchSnapshotsResponse__Output>;
  WatchSnapshots(argument: _perception_v1_WatchSnapshotsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_perception_v1_WatchSnapshotsResponse__Output>;
  watchSnapshots(argument: _perception_v1_WatchSnapshotsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_perception_v1_WatchSnapshotsResponse__Output>;
  watchSnapshots(argument: _perception_v1_WatchSnapshotsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_perception_v1_WatchSnapshotsResponse__Output>;
  
}

export interface PerceptionServiceHandlers extends grpc.UntypedServiceImplementation {
  CaptureScreenshot: grpc.handleUnaryCall<_perception_v1_CaptureScreenshotRequest__Output, _perception_v1_CaptureScreenshotResponse>;
  
  CaptureSnapshot: grpc.handleUnaryCall<_perception_v1_CaptureSnapshotRequest__Output, _perception_v1_CaptureSnapshotResponse>;
  
  FindElements: grpc.handleUnaryCall<_perception_v1_FindElementsRequest__Output, _perception_v1_FindElementsResponse>;
  
  WatchSnapshots: grpc.handleServerStreamingCall<_perception_v1_WatchSnapshotsRequest__Output, _perception_v1_WatchSnapshotsResponse>;
  
}

export interface PerceptionServiceDefinition extends grpc.ServiceDefinition {
  CaptureScreenshot: MethodDefinition<_perception_v1_CaptureScreenshotRequest, _perception_v1_CaptureScreenshotResponse, _perception_v1_CaptureScreenshotRequest__Output, _perception_v1_CaptureScreenshotResponse__Output>
  CaptureSnapshot: MethodDefinition<_perception_v1_CaptureSnapshotRequest, _perception_v1_CaptureSnapshotResponse, _perception_v1_CaptureSnapshotRequest__Output, _perception_v1_CaptureSnapshotResponse__Output>
  FindElements: MethodDefinition<_perception_v1_FindElementsRequest, _perception_v1_FindElementsResponse, _perception_v1_FindElementsRequest__Output, _perception_v1_FindElementsResponse__Output>
  WatchSnapshots: MethodDefinition<_perception_v1_WatchSnapshotsRequest, _perception_v1_WatchSnapshotsResponse, _perception_v1_WatchSnapshotsRequest__Output, _perception_v1_WatchSnapshotsResponse__Output>
}
