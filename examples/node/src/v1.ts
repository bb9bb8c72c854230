// The messages, enums and services of proto/perception/v1, as they are on the wire. Made from it by .ci/stubs.
export * from './generated/perception/v1/action_service_pb.js';
export * from './generated/perception/v1/control_service_pb.js';
export * from './generated/perception/v1/detection_service_pb.js';
export * from './generated/perception/v1/extraction_service_pb.js';
export * from './generated/perception/v1/file_service_pb.js';
export * from './generated/perception/v1/live_service_pb.js';
export * from './generated/perception/v1/network_service_pb.js';
export * from './generated/perception/v1/page_tool_service_pb.js';
export * from './generated/perception/v1/perception_service_pb.js';
export * from './generated/perception/v1/session_service_pb.js';
export * from './generated/perception/v1/subroutine_service_pb.js';
export * from './generated/perception/v1/types_pb.js';
export * from './generated/perception/v1/video_service_pb.js';
