"""The table of the shell's commands: what each takes, and the function that runs it. Data alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from perception.client import choices
from perception.interaction.verbs import VERBS
from perception.interaction.written_arguments import Argument, Kind

COMPLETION = "_PERCEPTION_COMPLETE"
"""The variable by which a shell asks what may come next."""

PANEL = "Commands in a session"
"""Under which `perception --help` lists them."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        name: by which it is called.
        help: for people, one line.
        arguments: its own; `COMMON` come in addition.
        run: the function, as `MODULE:NAME` in this package.
        steps: it may stand in a batch (`do`).
    """

    name: str
    help: str
    arguments: tuple[Argument, ...]
    run: str
    steps: bool = False

    @property
    def all_arguments(self) -> tuple[Argument, ...]:
        return (*self.arguments, *COMMON)


DEFAULT_TIMEOUT_MS = 60_000
WAIT_TIMEOUT_MS = 10_000
"""Limit of a wait: what has not happened by then is worth a look."""

HUMAN_TIMEOUT_MS = 300_000
"""Limit of a request for a person, who is slower than a page."""

COMMON = (
    Argument("--session", "The session. Default: that of this terminal, or without one of this folder.",
             env="PERCEPTION_SESSION"),
    Argument("--format", "Text for reading, or the protobuf JSON form.", choices=("text", "json")),
    Argument("--timeout-ms", "Milliseconds for the whole command. Default: 60000; 10000 of a wait, 300000 of "
             "request-human.", Kind.WHOLE, least=1),
)  # fmt: skip

_MODE = Argument(
    "--mode", "The page's own facts, these and its pixels, or its pixels alone.", choices=get_args(choices.Mode)
)
_MAX_TOKENS = Argument("--max-tokens", "Limit on the text (o200k tokens); 0 for none.", Kind.WHOLE, least=0)
_CURSOR = Argument("--cursor", "The next part of an earlier answer, which named it.")

_PAGE_TOOLS = (
    Argument("NAME", "Of the tool to call. Default: list them.", optional=True),
    Argument("ARGUMENTS", "Of the tool, as a JSON object.", optional=True),
)

_OPEN = (
    Argument("URL", "The page: http, https, data or about:blank."),
    Argument("--new", "Close the session that is open, and open another one.", Kind.FLAG),
    Argument("--viewport", "Of a new session: WIDTHxHEIGHT in CSS px, 1280x800 by default.", Kind.SIZE),
    Argument("--device", "Of a new session: a name of `perception devices`, such as 'iPhone 15'."),
    Argument("--profile", "Of a new session: logins that the service keeps by this name, and keeps again at its end."),
    Argument("--read-only", "With --profile: use the profile, and do not keep what changes.", Kind.FLAG),
    Argument("--state", "Of a new session: file with logins (state, cookies.txt, cookies as JSON, cURL command)."),
    Argument("--locale", "Of a new session, such as de-DE."),
    Argument("--timezone", "Of a new session, such as Europe/Berlin."),
    Argument("--color-scheme", "Of a new session.", choices=get_args(choices.ColorScheme)),
    Argument("--upstream-proxy", "Of a new session: http://HOST:PORT or socks5://HOST:PORT, for public addresses."),
    Argument("--upstream-proxy-secret", "Of a new session: secret that holds the proxy's USER:PASSWORD."),
    Argument("--page-tools-of", "Of a new session: an origin whose pages' own tools may be called; may be repeated.",
             many=True),
    Argument("--record", "Of a new session: keep what its pages ask of the network and write to the console, for "
             "`requests`, `console` and `perception har --session`.", Kind.FLAG),
    Argument("--video", "Of a new session: film it; `perception video list` has the video at its end.", Kind.FLAG),
    Argument("--call-pictures", "Of a new session: keep a small picture before and after each command, for "
             "`perception trace`.", Kind.FLAG),
    Argument("--no-evaluate", "Of a new session: its pages run no scripts of `evaluate`.", Kind.FLAG),
    Argument("--idle-minutes", "If a service is started: it ends after this time without a command. Default: 30.",
             Kind.NUMBER, least=0.01),
    Argument("--address", "A running service, HOST:PORT or unix:PATH, in place of this user's own."),
    Argument("--token-file", "With --address: file with the token to send.", env="PERCEPTION_TOKEN_FILE"),
    Argument("--tls-ca", "With --address: authority that signed the service's certificate (PEM).",
             env="PERCEPTION_TLS_CA"),
    Argument("--tls-client-cert", "With --address: the client's certificate (PEM).", env="PERCEPTION_TLS_CLIENT_CERT"),
    Argument("--tls-client-key", "With --address: its private key (PEM).", env="PERCEPTION_TLS_CLIENT_KEY"),
)  # fmt: skip

_ATTACH = (
    Argument("TAB", "The tab: its number in the list, or words of its title or URL.", optional=True),
    Argument("--user-data-dir", "Folder that the browser was started with. Default: those of Chrome and its kin."),
    Argument("--endpoint", "The browser's debugging address (ws://… or http://127.0.0.1:PORT), in place of "
             "looking for it."),
    Argument("--no-evaluate", "The session runs no scripts of `evaluate`.", Kind.FLAG),
)  # fmt: skip

_STATE = (
    Argument("ACTION", "To a file, or from one.", choices=("export", "import")),
    Argument("FILE", "The file; import also takes cookies.txt, cookies as JSON and cURL commands."),
    Argument("--origin", "export: only this origin, such as https://shop.example; may be repeated.", many=True),
    Argument("--no-indexed-db", "export: without databases.", Kind.FLAG),
)  # fmt: skip

_LOOK = (
    Argument("--since", "Only what changed since this snapshot; without an id since the last one.", bare="last"),
    Argument("--view", "Everything, what can be acted on, or a line for each region.",
             choices=get_args(choices.View)),
    Argument("--scope", "What is in view, or the whole page.", choices=get_args(choices.Scope)),
    Argument("--root", "Only the content of this ref or CSS selector.", Kind.TARGET),
    _MODE,
    _MAX_TOKENS,
    _CURSOR,
)  # fmt: skip

_FIND = (
    Argument("QUERY", 'In words, such as "the Save button next to Title".', optional=True),
    Argument("--role", "The element's role."),
    Argument("--name", "The element's name."),
    Argument("--text", "Words in its name, text or value."),
    Argument("--limit", "Most answers. Default: 5.", Kind.WHOLE, least=1),
)

_READ = (
    Argument("--main", "Only the main content.", Kind.FLAG),
    Argument("--scope", "CSS selector: only this part."),
    _MAX_TOKENS,
    _CURSOR,
)

_WAIT = (
    Argument("--text", "Words that are visible on the page."),
    Argument("--element", "An element that is there.", Kind.TARGET),
    Argument("--vanished", "An element that is not there any more.", Kind.TARGET),
    Argument("--url", "A glob that the tab's address matches."),
)

_EVALUATE = (
    Argument("SCRIPT", "An expression, or a function that gets the element of --ref; `-` reads standard input."),
    Argument("--ref", "The element that the function gets: a ref, a CSS selector, or x,y.", Kind.TARGET),
)

_SCREENSHOT = (
    Argument("OUT", "The file to write (PNG)."),
    Argument("--full-page", "The whole page, not only what is in view.", Kind.FLAG),
    Argument("--annotated", "With the boxes and refs of a look.", Kind.FLAG),
)

_DOWNLOAD = (
    Argument("ID", "Which download, such as d1. Default: the newest.", optional=True),
    Argument("--out", "The file to write, or a folder. Default: this folder, under the download's name."),
    Argument("--list", "List the session's downloads instead.", Kind.FLAG),
)

_VIDEO = (
    Argument("ACTION", "Begin or end a video, list videos, or save one.", choices=("start", "stop", "list", "save")),
    Argument("VALUE", "stop: the file to write, or a folder. save: the video's id.", optional=True),
    Argument("--out", "save: the file to write, or a folder. Default: this folder, under the video's name."),
    Argument("--container", "start: of the file. Default: webm.", choices=get_args(choices.VideoFormat)),
    Argument("--max-width", "start: of the picture, px. Default: 1280.", Kind.WHOLE, least=64),
    Argument("--max-fps", "start: pictures in a second. Default: 12.", Kind.NUMBER, least=0.1),
    Argument("--minutes", "start: it ends after this time. Default: 30.", Kind.NUMBER, least=0.1),
)

_PRINT = (
    Argument("OUT", "The file to write (PDF)."),
    Argument("--paper", "The sheet. Default: a4.", choices=get_args(choices.Paper)),
    Argument("--landscape", "Turn the sheet.", Kind.FLAG),
    Argument("--margin", "Of all edges, mm. Default: 10.", Kind.NUMBER, least=0),
    Argument("--pages", "Which, such as 1-3,5. Default: all."),
    Argument("--background", "With background colors and images.", Kind.FLAG),
    Argument("--scale", "Of the content, 0.1 to 2.", Kind.NUMBER, least=0.1),
    Argument("--reveal-sensitive", "Print private content, too, such as card numbers; no passwords.", Kind.FLAG),
)

_TABS = (
    Argument("--select", "Go to the tab with this id."),
    Argument("--close", "Close the tab with this id."),
)

_TAB = (
    Argument("DO", "new, name or move.", choices=("new", "name", "move")),
    Argument("VALUE", "The URL of a new tab, the name, or the place from 0.", optional=True),
    Argument("--tab", "The tab to name or move, by id or name. Default: the selected one."),
    Argument("--name", "Of a new tab: its name."),
    Argument("--background", "Of a new tab: go on in the one that is selected.", Kind.FLAG),
)

_CLIPBOARD = (
    Argument("DO", "read or write.", choices=("read", "write")),
    Argument("TEXT", "What to write; `-` reads standard input.", optional=True),
)

_VIEWPORT = (
    Argument("SIZE", "WIDTHxHEIGHT in CSS px. Default: as it is.", Kind.SIZE, optional=True),
    Argument("--device", "A name of `perception devices`: its size, mobile layout and touch."),
    Argument("--scale", "Device px for each CSS px.", Kind.NUMBER, least=0.25),
    Argument("--mobile", "Lay pages out as on a phone.", choices=("yes", "no")),
    Argument("--touch", "The screen takes touches.", choices=("yes", "no")),
)

_DIALOG = (
    Argument("ANSWER", "accept or dismiss.", choices=("accept", "dismiss")),
    Argument("TEXT", "For a prompt. Default: what its field holds.", optional=True),
    Argument("--id", "Of the dialog, where several are open."),
)

_REQUESTS = (
    Argument("PATTERN", "A part of the URL, or a pattern of all of it such as */api/*.", optional=True),
    Argument("--type", "Only this type, such as fetch; may be repeated.", many=True),
    Argument("--method", "Only this method, such as POST; may be repeated.", many=True),
    Argument("--status", "Only this status, or a range such as 400-599."),
    Argument("--failed", "Only those that failed or were blocked.", Kind.FLAG),
    Argument("--since", "Only those that were sent after this one, such as r12."),
    Argument("--limit", "Most lines: the last ones. Default: 50.", Kind.WHOLE, least=1),
)

_REQUEST = (
    Argument("ID", "Of the request, such as r12."),
    Argument("--max-body-bytes", "Limit on each body; 0 for none. Default: 65536.", Kind.WHOLE, least=0),
)

_CONSOLE = (
    Argument("--level", "Only this level and more serious ones.", choices=get_args(choices.ConsoleMessageLevel)),
    Argument("--since", "Only messages after this one, such as c12."),
    Argument("--limit", "Most lines: the last ones. Default: 50.", Kind.WHOLE, least=1),
)

COMMANDS = (
    Command("open", "Open a page in this terminal's session; the first time, start what it needs.", _OPEN,
            "navigating:open_page"),
    Command("attach", "Work in a tab of your own running Chrome; without a tab list them.", _ATTACH,
            "attaching:attach"),
    Command("look", "Print what is on the page.", _LOOK, "looking:look"),
    *(Command(each.name, each.help, each.arguments, "acting:act", steps=True) for each in VERBS),
    Command("wait", "Wait for one thing; without any, until the page is at rest.", _WAIT, "acting:wait", steps=True),
    Command("do", "Run a batch: a command on each line, checked before anything runs.",
            (Argument("FILE", "The file; `-` reads standard input."),), "batches:do"),
    Command("find", "Find elements by description, on the whole page, best first.", _FIND, "looking:find"),
    Command("read", "Print the page's content as markdown.", _READ, "looking:read"),
    Command("screenshot", "Write a picture of the page.", _SCREENSHOT, "looking:screenshot"),
    Command("download", "Save a file that the page downloaded on this machine.", _DOWNLOAD, "files:download"),
    Command("print", "Print the page to a PDF on this machine.", _PRINT, "files:print_page"),
    Command("video", "Film the session; save its videos, also of sessions that have ended.", _VIDEO, "videos:video"),
    Command("evaluate", "Run JavaScript in the page and print its value as JSON.", _EVALUATE, "acting:evaluate"),
    Command("page-tools", "List the tools that the page itself offers, or call one.", _PAGE_TOOLS,
            "page_tools:page_tools"),
    Command("request-human", "Ask a person to take control, such as for a login, and wait until they give it back.",
            (Argument("REASON", "What they are asked to do."),), "human:request_human"),
    Command("back", "Go back in the history.", (), "navigating:back"),
    Command("forward", "Go forward in the history.", (), "navigating:forward"),
    Command("reload", "Load the page again.", (), "navigating:reload"),
    Command("clipboard", "Print what was copied in the session, or put a text there for `press Control+V`.",
            _CLIPBOARD, "devices:clipboard"),
    Command("viewport", "Show the session's pages on another screen; print the page then.", _VIEWPORT,
            "devices:viewport"),
    Command("tabs", "Select or close a tab, and list all.", _TABS, "managing:tabs"),
    Command("tab", "Open, name or move a tab, and list all. A name stands for the tab's id everywhere.", _TAB,
            "managing:tab"),
    Command("requests", "List what the session's pages asked of the network.", _REQUESTS, "network:requests"),
    Command("request", "Print one request with its headers and bodies.", _REQUEST, "network:request"),
    Command("console", "List what the tab wrote to its console, and errors it did not catch.", _CONSOLE,
            "network:console"),
    Command("dialog", "Answer the alert, confirm or prompt that is open; dismiss a file chooser.", _DIALOG,
            "managing:dialog"),
    Command("state", "Write the session's logins to a file, or add those of a file.", _STATE, "states:state"),
    Command("sessions", "List the sessions of this user's shells.", (), "managing:sessions"),
    Command("close", "Close the session.",
            (Argument("--all", "Every session, and the service that was started for them.", Kind.FLAG),),
            "managing:close"),
    Command("skill", "Print a SKILL.md that tells a coding agent how to use these commands.", (), "skill:skill"),
)  # fmt: skip

BY_NAME = {each.name: each for each in COMMANDS}


def values_of_nothing(command: Command) -> dict[str, Any]:
    """The values of a command line without arguments."""
    return {each.key: [] if each.many else False if each.kind is Kind.FLAG else None for each in command.all_arguments}
