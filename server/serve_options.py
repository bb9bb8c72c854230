"""The options of `perception serve` and `perception worker` that set a setting.

Made from settings.py by .ci/settings.py. Not to be edited.
"""
# ruff: noqa: E501  (help texts have no line ends)

from pathlib import Path

from perception.server.serve_option import Commands, ServeOption

OPTIONS = (
    ServeOption("address", "--address", str, "HOST:PORT or unix:PATH. Default: 127.0.0.1:50051."),
    ServeOption(
        "allow_hosts",
        "--allow-host",
        list[str],
        "Private host that pages may reach: HOST, HOST:PORT, *.NAME, 10.0.0.0/8 or *.",
    ),
    ServeOption("browser_path", "--browser", Path, "Chromium to start. Default: Playwright's, else the system's."),
    ServeOption(
        "token_file", "--token-file", Path, "Who may call: NAME TOKEN [RIGHTS] on each line.", of=Commands.SERVE
    ),
    ServeOption("tls_cert", "--tls-cert", Path, "The service's certificate and its chain (PEM).", of=Commands.SERVE),
    ServeOption("tls_key", "--tls-key", Path, "The certificate's private key (PEM).", of=Commands.SERVE),
    ServeOption(
        "tls_client_ca",
        "--tls-client-ca",
        Path,
        "Authority that must have signed clients' certificates (PEM).",
        of=Commands.SERVE,
    ),
    ServeOption("secrets_file", "--secrets", Path, "Secrets that clients may have typed by name (TOML)."),
    ServeOption(
        "upstream_proxy", "--upstream-proxy", str, "Proxy for public addresses: http://HOST:PORT or socks5://HOST:PORT."
    ),
    ServeOption(
        "upstream_proxy_secret", "--upstream-proxy-secret", str, "Secret that holds the proxy's USER:PASSWORD."
    ),
    ServeOption(
        "profile_key",
        "--profile-key",
        str,
        "File with the key of profiles (32 bytes in base64), or `keyring`. Default: one of its own.",
    ),
    ServeOption("cdp_endpoint", "--cdp-endpoint", str, "Use a running Chromium at this CDP address."),
    ServeOption("headless", "--headed", bool, "Show the browser's windows.", sets=False),
    ServeOption("sandbox", "--no-sandbox", bool, "Accept the risk of Chromium without sandbox.", sets=False),
    ServeOption("max_sessions", "--max-sessions", int, "Sessions open at once. Default: 32.", least=1),
    ServeOption("look_ahead", "--no-look-ahead", bool, "Look at pages only when a client asks.", sets=False),
    ServeOption("upload_dir", "--upload-dir", Path, "Folder whose files clients may upload by name."),
    ServeOption(
        "download_dir", "--download-dir", Path, "Where downloads are kept. Default: removed with their session."
    ),
    ServeOption(
        "metrics_address", "--metrics-address", str, "HOST:PORT where Prometheus fetches metrics. Default: none."
    ),
    ServeOption("metrics_public", "--metrics-public", bool, "Let other machines read the metrics, without a token."),
    ServeOption(
        "health_address",
        "--health-address",
        str,
        "HOST:PORT that answers health alone, to anybody, without TLS. Default: none.",
    ),
    ServeOption(
        "viewer",
        "--viewer",
        str,
        "HOST:PORT where people watch sessions in a browser. Default: none.",
        of=Commands.SERVE,
    ),
    ServeOption(
        "start_browser",
        "--start-browser",
        bool,
        "Start the browser at once, and open the tab of each next session ahead.",
    ),
    ServeOption(
        "idle_exit_s", "--idle-exit", float, "End after this many seconds without a call. Default: never.", least=1
    ),
    ServeOption(
        "trust_named_hosts",
        "--trust-named-hosts",
        bool,
        "On a Unix socket: a session may reach the host of each URL that it opens.",
        of=Commands.SERVE,
    ),
    ServeOption(
        "placement",
        "--placement",
        str,
        "Where sessions are: local, static=HOST:PORT,… of workers, or ray=auto or ray=HOST:PORT for the workers of a Ray cluster. Default: local.",
    ),
    ServeOption(
        "claim_wait_s",
        "--claim-wait",
        float,
        "How many seconds a session waits at an edge for a slot. Default: 0, refused at once.",
        of=Commands.SERVE,
        least=0,
    ),
    ServeOption(
        "cluster", "--cluster", Path, "Folder of `perception cluster init`: certificates and keys of edges and workers."
    ),
    ServeOption(
        "session_keys", "--session-keys", Path, "Keys that session ids are signed with: 32 bytes in base64 a line."
    ),
    ServeOption(
        "worker", "--worker", bool, "Take calls from edges alone, as `perception worker` does.", of=Commands.NEITHER
    ),
    ServeOption(
        "worker_name",
        "--worker-name",
        str,
        "Name of this worker, another one for each. Default: its host and port.",
        of=Commands.WORKER,
    ),
    ServeOption(
        "drain_grace_s",
        "--grace",
        float,
        "How many seconds its sessions go on when it is to end. Default: 300.",
        of=Commands.WORKER,
        least=0,
    ),
)
