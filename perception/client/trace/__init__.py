"""What a session did, as one HTML file that opens without a server."""

from perception.client.trace.document import trace_html
from perception.client.trace.values import Trace, TraceCall, TracePicture

__all__ = ["Trace", "TraceCall", "TracePicture", "trace_html"]
