// Details of an error of the service: google.rpc.ErrorInfo, in the trailer `grpc-status-details-bin`.
import type { ServiceError } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

export interface ErrorInfo {
  reason: string;
  domain: string;
  metadata: Record<string, string>;
}

interface Detail {
  typeUrl: string;
  value: Uint8Array;
}

// The fields of google/rpc/status.proto and error_details.proto that are used here.
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message Any { string type_url = 1; bytes value = 2; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
`);
const Status = root.lookupType('Status');
const Info = root.lookupType('ErrorInfo');

/** Undefined for errors of other origin, such as a failed connection. */
export function errorInfo(error: Partial<ServiceError>): ErrorInfo | undefined {
  const [bytes] = error.metadata?.get('grpc-status-details-bin') ?? [];
  if (!Buffer.isBuffer(bytes)) return undefined;
  const { details } = Status.decode(bytes) as unknown as { details: Detail[] };
  const detail = details.find((any) => any.typeUrl.endsWith('/google.rpc.ErrorInfo'));
  return detail && (Info.decode(detail.value) as unknown as ErrorInfo);
}
