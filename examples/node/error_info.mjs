// What an error of the service says beyond its code: google.rpc.ErrorInfo, in the trailer `grpc-status-details-bin`.
import protobuf from 'protobufjs';

// The part of google/rpc/status.proto and error_details.proto that is read here.
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message Any { string type_url = 1; bytes value = 2; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
`);
const Status = root.lookupType('Status');
const ErrorInfo = root.lookupType('ErrorInfo');

/** @returns {{reason: string, domain: string, metadata: Record<string, string>} | undefined} nothing for other errors */
export function errorInfo(error) {
  const [bytes] = error.metadata?.get('grpc-status-details-bin') ?? [];
  const detail = bytes && Status.decode(bytes).details.find((any) => any.typeUrl.endsWith('/google.rpc.ErrorInfo'));
  return detail && ErrorInfo.decode(detail.value);
}
