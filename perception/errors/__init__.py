"""Every error that the project raises. One class is one reason that a client can act on.

The message says what was requested, what was found and what to do. The client gets it, so it contains no stack
trace and no file path. A page's words in it are written by `perception.page_words`. `server/status.py` makes the
gRPC status, and marks these words.

A new one is its class alone, whose name is its reason: `make stubs` tells the TypeScript client.
"""

from perception.errors.authorization_errors import *
from perception.errors.control_errors import *
from perception.errors.core import *
from perception.errors.detector_errors import *
from perception.errors.file_errors import *
from perception.errors.limit_errors import *
from perception.errors.network_errors import *
from perception.errors.page_errors import *
from perception.errors.page_tool_errors import *
from perception.errors.session_errors import *
from perception.errors.state_errors import *
from perception.errors.subroutine_errors import *
from perception.errors.target_errors import *
from perception.errors.video_errors import *
