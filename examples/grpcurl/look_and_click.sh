#!/usr/bin/env bash
# Looks at a page, clicks its first button, reads an error, and cancels a watch, with grpcurl only.
# The service supports server reflection: no protos are needed.
# Usage: ./look_and_click.sh ADDRESS URL      for example: ./look_and_click.sh 127.0.0.1:50051 https://example.com
# The token, if the service requires one, is read from PERCEPTION_TOKEN.
set -euo pipefail
[ $# = 2 ] || { echo "usage: look_and_click.sh ADDRESS URL" >&2 && exit 2; }
address="$1" url="$2"

ask() { # SERVICE/METHOD JSON: one call, or a stream of answers
  local token=()
  [ -z "${PERCEPTION_TOKEN:-}" ] || token=(-H "authorization: Bearer $PERCEPTION_TOKEN")
  ${run:-} grpcurl -plaintext -max-time 60 -max-msg-sz 16777216 "${token[@]}" -d "$2" "$address" "perception.v1.$1"
}

# New versions of grpcurl write fields as sessionId, old ones as session_id.
session="$(ask SessionService/CreateSession '{}' | jq -r '.session | .sessionId // .session_id')"
trap 'ask SessionService/CloseSession "{\"session_id\": \"$session\"}" >/dev/null' EXIT

ask SessionService/Navigate "{\"session_id\": \"$session\", \"url\": \"$url\"}" >/dev/null
seen="$(ask PerceptionService/CaptureSnapshot "{\"session_id\": \"$session\", \"options\": {\"mode\": \"MODE_FUSED\"}}")"
jq -rj .snapshot.text <<<"$seen"

button="$(jq -r 'first(.snapshot.elements[] | select(.role == "button" and .reachable)) | .ref' <<<"$seen")"
if [ -n "$button" ]; then
  ask ActionService/Click "{\"session_id\": \"$session\", \"target\": {\"ref\": \"$button\"}}" >/dev/null
  name="$(jq -r ".snapshot.elements[] | select(.ref == \"$button\") | .name" <<<"$seen")"
  echo "clicked $button, the button \"$name\""
fi

# grpcurl writes an error, with its google.rpc.ErrorInfo, on standard error.
if said="$(ask ActionService/Click "{\"session_id\": \"$session\", \"target\": {\"ref\": \"e999999\"}}" 2>&1)"; then
  echo "a click on e999999 should have been refused" >&2 && exit 1
fi
echo "a click on e999999 is refused: $(tr -s ' \n' ' ' <<<"$said")"

# A stream ends with its caller; `exec` makes grpcurl the process that is killed below.
coproc WATCH { run=exec ask PerceptionService/WatchSnapshots "{\"session_id\": \"$session\", \"options\": {\"mode\": \"MODE_TEXT\"}}"; }
watch="$WATCH_PID"
while read -r line <&"${WATCH[0]}"; do
  case "$line" in *'"snapshotId"'* | *'"snapshot_id"'*) echo "watching: $(cut -d'"' -f4 <<<"$line") came first" && break ;; esac
done
kill "$watch" && wait "$watch" 2>/dev/null || true
echo "the watch is cancelled"
