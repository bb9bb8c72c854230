"""What `perception --help` says of each command, so that it need not load them.

Made from the commands by .ci/help_lines.py. Not to be edited.
"""

HELP_LINES = {
    "snapshot": "Open a page and print what is on it.",
    "pdf": "Print a page to a PDF.",
    "explain": "Print why an element is listed as it is, or why it is not listed.",
    "extract": "Print what can be acted on, with selectors that survive a reload, or what a person reads.",
    "parse": "Find what is in any screenshot, by its pixels alone.",
    "devices": "List devices by name, for --device.",
    "har": "Write what a page asks of the network as a HAR file, which DevTools opens.",
    "trace": "Write what a session did as one HTML file, which opens without a server: for a bug report.",
    "health": "Ask a running service whether it serves: exit code 0 if it does, 1 if it does not or nothing answers.",
    "ab": "Compare two ways of looking, paired by sample. Exits with 1 when a sample failed.",
    "doctor": "Check this machine, and print what to fix: exit code 1 if something keeps the service from working.",
    "mcp": "Run the MCP server: the service as tools for a language model, over stdio or HTTP.",
    "record": "Record a task that is done in a browser window, until Enter is pressed here.",
    "serve": "Run the gRPC service until SIGTERM or Ctrl-C.",
    "view": "Watch sessions in the browser, see what the model gets, and take over: until Ctrl-C.",
    "worker": "Run a worker: it has sessions, and takes calls from edges alone.",
    "profile": "Logins that the service keeps by name: `--profile` of other commands uses them.",
    "bench": "Measure, beside the peers; list, report and compare what was measured.",
    "cluster": "Edges and workers: their certificates and keys.",
    "dataset": "Samples to measure on: real pages, their painted twins, public data sets.",
    "detectors": "List detectors, and run them on a Ray cluster.",
    "subroutine": "Tasks recorded once, run again as tools.",
    "token": "Tokens, which identify callers.",
}
