// The stubs of all services. Made from proto/ by .ci/stubs.
import { ActionService } from './generated/perception/v1/action_service_pb.js';
import { ControlService } from './generated/perception/v1/control_service_pb.js';
import { DetectionService } from './generated/perception/v1/detection_service_pb.js';
import { ExtractionService } from './generated/perception/v1/extraction_service_pb.js';
import { FileService } from './generated/perception/v1/file_service_pb.js';
import { LiveService } from './generated/perception/v1/live_service_pb.js';
import { NetworkService } from './generated/perception/v1/network_service_pb.js';
import { PageToolService } from './generated/perception/v1/page_tool_service_pb.js';
import { PerceptionService } from './generated/perception/v1/perception_service_pb.js';
import { SessionService } from './generated/perception/v1/session_service_pb.js';
import { SubroutineService } from './generated/perception/v1/subroutine_service_pb.js';
import { VideoService } from './generated/perception/v1/video_service_pb.js';
import { type Channel, type Stub, stub } from './rpc.js';

/** The stubs of all services: a method for each rpc. */
export interface Services {
  readonly actions: Stub<typeof ActionService>;
  readonly control: Stub<typeof ControlService>;
  readonly detection: Stub<typeof DetectionService>;
  readonly extraction: Stub<typeof ExtractionService>;
  readonly files: Stub<typeof FileService>;
  readonly live: Stub<typeof LiveService>;
  readonly network: Stub<typeof NetworkService>;
  readonly pageTools: Stub<typeof PageToolService>;
  readonly perception: Stub<typeof PerceptionService>;
  readonly sessions: Stub<typeof SessionService>;
  readonly subroutines: Stub<typeof SubroutineService>;
  readonly video: Stub<typeof VideoService>;
}

/** @internal The stubs over a channel. */
export function services(channel: Channel): Services {
  return {
    actions: stub(ActionService, channel),
    control: stub(ControlService, channel),
    detection: stub(DetectionService, channel),
    extraction: stub(ExtractionService, channel),
    files: stub(FileService, channel),
    live: stub(LiveService, channel),
    network: stub(NetworkService, channel),
    pageTools: stub(PageToolService, channel),
    perception: stub(PerceptionService, channel),
    sessions: stub(SessionService, channel),
    subroutines: stub(SubroutineService, channel),
    video: stub(VideoService, channel),
  };
}
