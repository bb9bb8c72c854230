// Original file: ../../proto/perception/v1/action_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ClickRequest as _perception_v1_ClickRequest, ClickRequest__Output as _perception_v1_ClickRequest__Output } from '../../perception/v1/ClickRequest.js';
import type { ClickResponse as _perception_v1_ClickResponse, ClickResponse__Output as _perception_v1_ClickResponse__Output } from '../../perception/v1/ClickResponse.js';
import type { DragRequest as _perception_v1_DragRequest, DragRequest__Output as _perception_v1_DragRequest__Output } from '../../perception/v1/DragRequest.js';
import type { DragResponse as _perception_v1_DragResponse, DragResponse__Output as _perception_v1_DragResponse__Output } from '../../perception/v1/DragResponse.js';
import type { EvaluateRequest as _perception_v1_EvaluateRequest, EvaluateRequest__Output as _perception_v1_EvaluateRequest__Output } from '../../perception/v1/EvaluateRequest.js';
import type { EvaluateResponse as _perception_v1_EvaluateResponse, EvaluateResponse__Output as _perception_v1_EvaluateResponse__Output } from '../../perception/v1/EvaluateResponse.js';
import type { HoverRequest as _perception_v1_HoverRequest, HoverRequest__Output as _perception_v1_HoverRequest__Output } from '../../perception/v1/HoverRequest.js';
import type { HoverResponse as _perception_v1_HoverResponse, HoverResponse__Output as _perception_v1_HoverResponse__Output } from '../../perception/v1/HoverResponse.js';
import type { PressKeyRequest as _perception_v1_PressKeyRequest, PressKeyRequest__Output as _perception_v1_PressKeyRequest__Output } from '../../perception/v1/PressKeyRequest.js';
import type { PressKeyResponse as _perception_v1_PressKeyResponse, PressKeyResponse__Output as _perception_v1_PressKeyResponse__Output } from '../../perception/v1/PressKeyResponse.js';
import type { ScrollRequest as _perception_v1_ScrollRequest, ScrollRequest__Output as _perception_v1_ScrollRequest__Output } from '../../perception/v1/ScrollRequest.js';
import type { ScrollResponse as _perception_v1_ScrollResponse, ScrollResponse__Output as _perception_v1_ScrollResponse__Output } from '../../perception/v1/ScrollResponse.js';
import type { SelectOptionRequest as _perception_v1_SelectOptionRequest, SelectOptionRequest__Output as _perception_v1_SelectOptionRequest__Output } from '../../perception/v1/SelectOptionRequest.js';
import type { SelectOptionResponse as _perception_v1_SelectOptionResponse, SelectOptionResponse__Output as _perception_v1_SelectOptionResponse__Output } from '../../perception/v1/SelectOptionResponse.js';
import type { TypeTextRequest as _perception_v1_TypeTextRequest, TypeTextRequest__Output as _perception_v1_TypeTextRequest__Output } from '../../perception/v1/TypeTextRequest.js';
import type { TypeTextResponse as _perception_v1_TypeTextResponse, TypeTextResponse__Output as _perception_v1_TypeTextResponse__Output } from '../../perception/v1/TypeTextResponse.js';
import type { UploadFilesRequest as _perception_v1_UploadFilesRequest, UploadFilesRequest__Output as _perception_v1_UploadFilesRequest__Output } from '../../perception/v1/UploadFilesRequest.js';
import type { UploadFilesResponse as _perception_v1_UploadFilesResponse, UploadFilesResponse__Output as _perception_v1_UploadFilesResponse__Output } from '../../perception/v1/UploadFilesResponse.js';
import type { WaitForRequest as _perception_v1_WaitForRequest, WaitForRequest__Output as _perception_v1_WaitForRequest__Output } from '../../perception/v1/WaitForRequest.js';
import type { WaitForResponse as _perception_v1_WaitForResponse, WaitForResponse__Output as _perception_v1_WaitForResponse__Output } from '../../perception/v1/WaitForResponse.js';

export interface ActionServiceClient extends grpc.Client {
  Click(argument: _perception_v1_ClickRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ClickResponse__Output>): grpc.ClientUnaryCall;
  Click(argument: _perception_v1_ClickRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_ClickResponse__Output>): grpc.ClientUnaryCall;
  Click(argument: _perception_v1_ClickRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ClickResponse__Output>): grpc.ClientUnaryCall;
  Click(argument: _perception_v1_ClickRequest, callback: grpc.requestCallback<_perception_v1_ClickResponse__Output>): grpc.ClientUnaryCall;
  click(argument: _perception_v1_ClickRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ClickResponse__Output>): grpc.ClientUnaryCall;
  click(argument: _perception_v1_ClickRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_ClickResponse__Output>): grpc.ClientUnaryCall;
  click(argument: _perception_v1_ClickRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ClickResponse__Output>): grpc.ClientUnaryCall;
  click(argument: _perception_v1_ClickRequest, callback: grpc.requestCallback<_perception_v1_ClickResponse__Output>): grpc.ClientUnaryCall;
  
  Drag(argument: _perception_v1_DragRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_DragResponse__Output>): grpc.ClientUnaryCall;
  Drag(argument: _perception_v1_DragRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_DragResponse__Output>): grpc.ClientUnaryCall;
  Drag(argument: _perception_v1_DragRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_DragResponse__Output>): grpc.ClientUnaryCall;
  Drag(argument: _perception_v1_DragRequest, callback: grpc.requestCallback<_perception_v1_DragResponse__Output>): grpc.ClientUnaryCall;
  drag(argument: _perception_v1_DragRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_DragResponse__Output>): grpc.ClientUnaryCall;
  drag(argument: _perception_v1_DragRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_DragResponse__Output>): grpc.ClientUnaryCall;
  drag(argument: _perception_v1_DragRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_DragResponse__Output>): grpc.ClientUnaryCall;
  drag(argument: _perception_v1_DragRequest, callback: grpc.requestCallback<_perception_v1_DragResponse__Output>): grpc.ClientUnaryCall;
  
  Evaluate(argument: _perception_v1_EvaluateRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_EvaluateResponse__Output>): grpc.ClientUnaryCall;
  Evaluate(argument: _perception_v1_EvaluateRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_EvaluateResponse__Output>): grpc.ClientUnaryCall;
  Evaluate(argument: _perception_v1_EvaluateRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_EvaluateResponse__Output>): grpc.ClientUnaryCall;
  Evaluate(argument: _perception_v1_EvaluateRequest, callback: grpc.requestCallback<_perception_v1_EvaluateResponse__Output>): grpc.ClientUnaryCall;
  evaluate(argument: _perception_v1_EvaluateRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_EvaluateResponse__Output>): grpc.ClientUnaryCall;
  evaluate(argument: _perception_v1_EvaluateRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_EvaluateResponse__Output>): grpc.ClientUnaryCall;
  evaluate(argument: _perception_v1_EvaluateRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_EvaluateResponse__Output>): grpc.ClientUnaryCall;
  evaluate(argument: _perception_v1_EvaluateRequest, callback: grpc.requestCallback<_perception_v1_EvaluateResponse__Output>): grpc.ClientUnaryCall;
  
  Hover(argument: _perception_v1_HoverRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_HoverResponse__Output>): grpc.ClientUnaryCall;
  Hover(argument: _perception_v1_HoverRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_HoverResponse__Output>): grpc.ClientUnaryCall;
  Hover(argument: _perception_v1_HoverRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_HoverResponse__Output>): grpc.ClientUnaryCall;
  Hover(argument: _perception_v1_HoverRequest, callback: grpc.requestCallback<_perception_v1_HoverResponse__Output>): grpc.ClientUnaryCall;
  hover(argument: _perception_v1_HoverRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_HoverResponse__Output>): grpc.ClientUnaryCall;
  hover(argument: _perception_v1_HoverRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_HoverResponse__Output>): grpc.ClientUnaryCall;
  hover(argument: _perception_v1_HoverRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_HoverResponse__Output>): grpc.ClientUnaryCall;
  hover(argument: _perception_v1_HoverRequest, callback: grpc.requestCallback<_perception_v1_HoverResponse__Output>): grpc.ClientUnaryCall;
  
  PressKey(argument: _perception_v1_PressKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_PressKeyResponse__Output>): grpc.ClientUnaryCall;
  PressKey(argument: _perception_v1_PressKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_PressKeyResponse__Output>): grpc.ClientUnaryCall;
  PressKey(argument: _perception_v1_PressKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_PressKeyResponse__Output>): grpc.ClientUnaryCall;
  PressKey(argument: _perception_v1_PressKeyRequest, callback: grpc.requestCallback<_perception_v1_PressKeyResponse__Output>): grpc.ClientUnaryCall;
  pressKey(argument: _perception_v1_PressKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_PressKeyResponse__Output>): grpc.ClientUnaryCall;
  pressKey(argument: _perception_v1_PressKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_PressKeyResponse__Output>): grpc.ClientUnaryCall;
  pressKey(argument: _perception_v1_PressKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_PressKeyResponse__Output>): grpc.ClientUnaryCall;
  pressKey(argument: _perception_v1_PressKeyRequest, callback: grpc.requestCallback<_perception_v1_PressKeyResponse__Output>): grpc.ClientUnaryCall;
  
  Scroll(argument: _perception_v1_ScrollRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ScrollResponse__Output>): grpc.ClientUnaryCall;
  Scroll(argument: _perception_v1_ScrollRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_ScrollResponse__Output>): grpc.ClientUnaryCall;
  Scroll(argument: _perception_v1_ScrollRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ScrollResponse__Output>): grpc.ClientUnaryCall;
  Scroll(argument: _perception_v1_ScrollRequest, callback: grpc.requestCallback<_perception_v1_ScrollResponse__Output>): grpc.ClientUnaryCall;
  scroll(argument: _perception_v1_ScrollRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ScrollResponse__Output>): grpc.ClientUnaryCall;
  scroll(argument: _perception_v1_ScrollRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_ScrollResponse__Output>): grpc.ClientUnaryCall;
  scroll(argument: _perception_v1_ScrollRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_ScrollResponse__Output>): grpc.ClientUnaryCall;
  scroll(argument: _perception_v1_ScrollRequest, callback: grpc.requestCallback<_perception_v1_ScrollResponse__Output>): grpc.ClientUnaryCall;
  
  SelectOption(argument: _perception_v1_SelectOptionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_SelectOptionResponse__Output>): grpc.ClientUnaryCall;
  SelectOption(argument: _perception_v1_SelectOptionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_SelectOptionResponse__Output>): grpc.ClientUnaryCall;
  SelectOption(argument: _perception_v1_SelectOptionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_SelectOptionResponse__Output>): grpc.ClientUnaryCall;
  SelectOption(argument: _perception_v1_SelectOptionRequest, callback: grpc.requestCallback<_perception_v1_SelectOptionResponse__Output>): grpc.ClientUnaryCall;
  selectOption(argument: _perception_v1_SelectOptionRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_SelectOptionResponse__Output>): grpc.ClientUnaryCall;
  selectOption(argument: _perception_v1_SelectOptionRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_SelectOptionResponse__Output>): grpc.ClientUnaryCall;
  selectOption(argument: _perception_v1_SelectOptionRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_SelectOptionResponse__Output>): grpc.ClientUnaryCall;
  selectOption(argument: _perception_v1_SelectOptionRequest, callback: grpc.requestCallback<_perception_v1_SelectOptionResponse__Output>): grpc.ClientUnaryCall;
  
  TypeText(argument: _perception_v1_TypeTextRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_TypeTextResponse__Output>): grpc.ClientUnaryCall;
  TypeText(argument: _perception_v1_TypeTextRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_TypeTextResponse__Output>): grpc.ClientUnaryCall;
  TypeText(argument: _perception_v1_TypeTextRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_TypeTextResponse__Output>): grpc.ClientUnaryCall;
  TypeText(argument: _perception_v1_TypeTextRequest, callback: grpc.requestCallback<_perception_v1_TypeTextResponse__Output>): grpc.ClientUnaryCall;
  typeText(argument: _perception_v1_TypeTextRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_TypeTextResponse__Output>): grpc.ClientUnaryCall;
  typeText(argument: _perception_v1_TypeTextRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_TypeTextResponse__Output>): grpc.ClientUnaryCall;
  typeText(argument: _perception_v1_TypeTextRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_TypeTextResponse__Output>): grpc.ClientUnaryCall;
  typeText(argument: _perception_v1_TypeTextRequest, callback: grpc.requestCallback<_perception_v1_TypeTextResponse__Output>): grpc.ClientUnaryCall;
  
  UploadFiles(argument: _perception_v1_UploadFilesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_UploadFilesResponse__Output>): grpc.ClientUnaryCall;
  UploadFiles(argument: _perception_v1_UploadFilesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_UploadFilesResponse__Output>): grpc.ClientUnaryCall;
  UploadFiles(argument: _perception_v1_UploadFilesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_UploadFilesResponse__Output>): grpc.ClientUnaryCall;
  UploadFiles(argument: _perception_v1_UploadFilesRequest, callback: grpc.requestCallback<_perception_v1_UploadFilesResponse__Output>): grpc.ClientUnaryCall;
  uploadFiles(argument: _perception_v1_UploadFilesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_UploadFilesResponse__Output>): grpc.ClientUnaryCall;
  uploadFiles(argument: _perception_v1_UploadFilesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_UploadFilesResponse__Output>): grpc.ClientUnaryCall;
  uploadFiles(argument: _perception_v1_UploadFilesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_UploadFilesResponse__Output>): grpc.ClientUnaryCall;
  uploadFiles(argument: _perception_v1_UploadFilesRequest, callback: grpc.requestCallback<_perception_v1_UploadFilesResponse__Output>): grpc.ClientUnaryCall;
  
  WaitFor(argument: _perception_v1_WaitForRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_WaitForResponse__Output>): grpc.ClientUnaryCall;
  WaitFor(argument: _perception_v1_WaitForRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_WaitForResponse__Output>): grpc.ClientUnaryCall;
  WaitFor(argument: _perception_v1_WaitForRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_WaitForResponse__Output>): grpc.ClientUnaryCall;
  WaitFor(argument: _perception_v1_WaitForRequest, callback: grpc.requestCallback<_perception_v1_WaitForResponse__Output>): grpc.ClientUnaryCall;
  waitFor(argument: _perception_v1_WaitForRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_WaitForResponse__Output>): grpc.ClientUnaryCall;
  waitFor(argument: _perception_v1_WaitForRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_perception_v1_WaitForResponse__Output>): grpc.ClientUnaryCall;
  waitFor(argument: _perception_v1_WaitForRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_perception_v1_WaitForResponse__Output>): grpc.ClientUnaryCall;
  waitFor(argument: _perception_v1_WaitForRequest, callback: grpc.requestCallback<_perception_v1_WaitForResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface ActionServiceHandlers extends grpc.UntypedServiceImplementation {
  Click: grpc.handleUnaryCall<_perception_v1_ClickRequest__Output, _perception_v1_ClickResponse>;
  
  Drag: grpc.handleUnaryCall<_perception_v1_DragRequest__Output, _perception_v1_DragResponse>;
  
  Evaluate: grpc.handleUnaryCall<_perception_v1_EvaluateRequest__Output, _perception_v1_EvaluateResponse>;
  
  Hover: grpc.handleUnaryCall<_perception_v1_HoverRequest__Output, _perception_v1_HoverResponse>;
  
  PressKey: grpc.handleUnaryCall<_perception_v1_PressKeyRequest__Output, _perception_v1_PressKeyResponse>;
  
  Scroll: grpc.handleUnaryCall<_perception_v1_ScrollRequest__Output, _perception_v1_ScrollResponse>;
  
  SelectOption: grpc.handleUnaryCall<_perception_v1_SelectOptionRequest__Output, _perception_v1_SelectOptionResponse>;
  
  TypeText: grpc.handleUnaryCall<_perception_v1_TypeTextRequest__Output, _perception_v1_TypeTextResponse>;
  
  UploadFiles: grpc.handleUnaryCall<_perception_v1_UploadFilesRequest__Output, _perception_v1_UploadFilesResponse>;
  
  WaitFor: grpc.handleUnaryCall<_perception_v1_WaitForRequest__Output, _perception_v1_WaitForResponse>;
  
}

export interface ActionServiceDefinition extends grpc.ServiceDefinition {
  Click: MethodDefinition<_perception_v1_ClickRequest, _perception_v1_ClickResponse, _perception_v1_ClickRequest__Output, _perception_v1_ClickResponse__Output>
  Drag: MethodDefinition<_perception_v1_DragRequest, _perception_v1_DragResponse, _perception_v1_DragRequest__Output, _perception_v1_DragResponse__Output>
  Evaluate: MethodDefinition<_perception_v1_EvaluateRequest, _perception_v1_EvaluateResponse, _perception_v1_EvaluateRequest__Output, _perception_v1_EvaluateResponse__Output>
  Hover: MethodDefinition<_perception_v1_HoverRequest, _perception_v1_HoverResponse, _perception_v1_HoverRequest__Output, _perception_v1_HoverResponse__Output>
  PressKey: MethodDefinition<_perception_v1_PressKeyRequest, _perception_v1_PressKeyResponse, _perception_v1_PressKeyRequest__Output, _perception_v1_PressKeyResponse__Output>
  Scroll: MethodDefinition<_perception_v1_ScrollRequest, _perception_v1_ScrollResponse, _perception_v1_ScrollRequest__Output, _perception_v1_ScrollResponse__Output>
  SelectOption: MethodDefinition<_perception_v1_SelectOptionRequest, _perception_v1_SelectOptionResponse, _perception_v1_SelectOptionRequest__Output, _perception_v1_SelectOptionResponse__Output>
  TypeText: MethodDefinition<_perception_v1_TypeTextRequest, _perception_v1_TypeTextResponse, _perception_v1_TypeTextRequest__Output, _perception_v1_TypeTextResponse__Output>
  UploadFiles: MethodDefinition<_perception_v1_UploadFilesRequest, _perception_v1_UploadFilesResponse, _perception_v1_UploadFilesRequest__Output, _perception_v1_UploadFilesResponse__Output>
  WaitFor: MethodDefinition<_perception_v1_WaitForRequest, _perception_v1_WaitForResponse, _perception_v1_WaitForRequest__Output, _perception_v1_WaitForResponse__Output>
}
