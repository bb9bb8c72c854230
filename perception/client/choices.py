"""The words that stand for values of the wire's enums.

Made from proto/ by .ci/client_fields.py. Not to be edited.
"""

from typing import Literal

ColorScheme = Literal["light", "dark"]
ConsoleMessageLevel = Literal["debug", "info", "warning", "error"]
Engine = Literal["walker", "ax"]
EvaluateRequestEngine = Literal["auto", "cdp", "playwright"]
HumanControl = Literal["wait", "refuse"]
Mode = Literal["text", "fused", "vision"]
Modifier = Literal["alt", "control", "meta", "shift"]
MouseButton = Literal["left", "right", "middle"]
Paper = Literal["a3", "a4", "a5", "letter", "legal", "tabloid"]
Scope = Literal["viewport", "page"]
TextPosition = Literal["end", "start", "caret"]
TextStyle = Literal["role_ref", "compact"]
VideoFormat = Literal["webm", "mp4"]
View = Literal["full", "interactive", "digest"]
