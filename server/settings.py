"""Settings of the operator: options of `perception serve`, or environment variables `PERCEPTION_…`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import DirectoryPath, Field, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from perception import paths
from perception.server.serve_option import Commands, Flag

MAX_MESSAGE_BYTES = 16 * 2**20
"""Both directions: a lossless 4K screenshot fits, a runaway request does not."""


LOCAL = "local"
"""The placement of a service that has its sessions itself."""


class Settings(BaseSettings):
    """One service's configuration. From its fields come the options of `perception serve` and `perception worker`
    (`serve_options.py`) and docs/settings.md: `make stubs` after a change."""

    model_config = SettingsConfigDict(env_prefix="PERCEPTION_", frozen=True, extra="forbid")

    address: Annotated[str, Flag("--address")] = Field("127.0.0.1:50051", description="HOST:PORT or unix:PATH.")
    allow_hosts: Annotated[tuple[str, ...], NoDecode, Flag("--allow-host")] = Field(
        (), description="Private host that pages may reach: HOST, HOST:PORT, *.NAME, 10.0.0.0/8 or *."
    )
    browser_path: Annotated[Path | None, Flag("--browser")] = Field(
        None, description="Chromium to start. Default: Playwright's, else the system's."
    )
    token_file: Annotated[Path | None, Flag("--token-file", Commands.SERVE)] = Field(
        None, description="Who may call: NAME TOKEN [RIGHTS] on each line."
    )
    tls_cert: Annotated[Path | None, Flag("--tls-cert", Commands.SERVE)] = Field(
        None, description="The service's certificate and its chain (PEM)."
    )
    tls_key: Annotated[Path | None, Flag("--tls-key", Commands.SERVE)] = Field(
        None, description="The certificate's private key (PEM)."
    )
    tls_client_ca: Annotated[Path | None, Flag("--tls-client-ca", Commands.SERVE)] = Field(
        None, description="Authority that must have signed clients' certificates (PEM)."
    )
    secrets_file: Annotated[Path | None, Flag("--secrets")] = Field(
        None, description="Secrets that clients may have typed by name (TOML)."
    )
    upstream_proxy: Annotated[str, Flag("--upstream-proxy")] = Field(
        "", description="Proxy for public addresses: http://HOST:PORT or socks5://HOST:PORT."
    )
    upstream_proxy_secret: Annotated[str, Flag("--upstream-proxy-secret")] = Field(
        "", description="Secret that holds the proxy's USER:PASSWORD."
    )
    profile_key: Annotated[str, Flag("--profile-key")] = Field(
        "", description="File with the key of profiles (32 bytes in base64), or `keyring`. Default: one of its own."
    )
    cdp_endpoint: Annotated[str, Flag("--cdp-endpoint")] = Field(
        "", description="Use a running Chromium at this CDP address."
    )
    headless: Annotated[bool, Flag("--headed")] = Field(True, description="Show the browser's windows.")
    sandbox: Annotated[bool, Flag("--no-sandbox")] = Field(
        True, description="Accept the risk of Chromium without sandbox."
    )
    max_sessions: Annotated[int, Flag("--max-sessions")] = Field(32, ge=1, description="Sessions open at once.")
    look_ahead: Annotated[bool, Flag("--no-look-ahead")] = Field(
        True, description="Look at pages only when a client asks."
    )
    upload_dir: Annotated[DirectoryPath | None, Flag("--upload-dir")] = Field(
        None, description="Folder whose files clients may upload by name."
    )
    download_dir: Annotated[Path | None, Flag("--download-dir")] = Field(
        None, description="Where downloads are kept. Default: removed with their session."
    )
    metrics_address: Annotated[str, Flag("--metrics-address")] = Field(
        "", description="HOST:PORT where Prometheus fetches metrics. Default: none."
    )
    metrics_public: Annotated[bool, Flag("--metrics-public")] = Field(
        False, description="Let other machines read the metrics, without a token."
    )
    health_address: Annotated[str, Flag("--health-address")] = Field(
        "", description="HOST:PORT that answers health alone, to anybody, without TLS. Default: none."
    )
    viewer: Annotated[str, Flag("--viewer", Commands.SERVE)] = Field(
        "", description="HOST:PORT where people watch sessions in a browser. Default: none."
    )
    start_browser: Annotated[bool, Flag("--start-browser")] = Field(
        False,
        description="Start the browser at once, and open the tab of each next session ahead.",
    )
    idle_exit_s: Annotated[float, Flag("--idle-exit", least=1)] = Field(
        0.0, ge=0, description="End after this many seconds without a call. Default: never."
    )
    trust_named_hosts: Annotated[bool, Flag("--trust-named-hosts", Commands.SERVE)] = Field(
        False, description="On a Unix socket: a session may reach the host of each URL that it opens."
    )
    placement: Annotated[str, Flag("--placement")] = Field(
        LOCAL,
        description="Where sessions are: local, static=HOST:PORT,… of workers, or ray=auto or ray=HOST:PORT for the "
        "workers of a Ray cluster.",
    )
    claim_wait_s: Annotated[float, Flag("--claim-wait", Commands.SERVE)] = Field(
        0.0,
        ge=0,
        description="How many seconds a session waits at an edge for a slot. Default: 0, refused at once.",
    )
    cluster: Annotated[Path | None, Flag("--cluster")] = Field(
        None, description="Folder of `perception cluster init`: certificates and keys of edges and workers."
    )
    session_keys: Annotated[Path | None, Flag("--session-keys")] = Field(
        None,
        description="Keys that session ids are signed with: 32 bytes in base64 a line.",
    )
    worker: Annotated[bool, Flag("--worker", Commands.NEITHER)] = Field(
        False, description="Take calls from edges alone, as `perception worker` does."
    )
    worker_name: Annotated[str, Flag("--worker-name", Commands.WORKER)] = Field(
        "", max_length=255, description="Name of this worker, another one for each. Default: its host and port."
    )
    drain_grace_s: Annotated[float, Flag("--grace", Commands.WORKER)] = Field(
        300.0, ge=0, description="How many seconds its sessions go on when it is to end."
    )
    max_calls: int = Field(128, ge=1, description="Calls that run at once.")
    max_queue: int = Field(256, ge=0, description="Calls that wait until another one ends; at an edge, sessions.")
    max_calls_per_session: int = Field(32, ge=1, description="Calls of one session that run or wait at once.")
    max_tabs_per_session: int = Field(32, ge=1, description="Tabs of one session.")
    max_watches: int = Field(64, ge=0, description="Watches of snapshots, calls, pictures and control at once.")
    session_idle_s: float = Field(1800.0, gt=0, description="A session ends when nobody has used it for so many s.")
    session_age_s: float = Field(12 * 3600.0, gt=0, description="A session ends when it is so many s old.")
    memory_limit_mib: int = Field(
        0, ge=0, description="Memory (PSS) of all browsers, MiB. Default: three quarters of the machine's."
    )
    browser_memory_mib: int = Field(
        0, ge=0, description="Memory (PSS) of one browser, MiB. Default: two fifths of the machine's."
    )
    memory_check_s: float = Field(10.0, gt=0, description="How often the memory is measured, in s.")
    default_deadline_s: float = Field(30.0, gt=0, description="Deadline of calls that come without one, in s.")
    max_deadline_s: float = Field(300.0, gt=0, description="The longest deadline of a call, in s.")
    reply_reserve_s: float = Field(0.2, ge=0, description="What is kept of a deadline for the answer, in s.")
    detectors: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Detectors to use where a request names none. Default: the registry's own choice."
    )
    max_download_mib: int = Field(256, ge=1, description="Size of one download, MiB.")
    max_session_downloads_mib: int = Field(1024, ge=1, description="Size of all downloads of a session, MiB.")
    max_session_uploads_mib: int = Field(256, ge=1, description="Size of all uploads of a session, MiB.")
    data_dir: Path | None = Field(
        None,
        description="Where profiles, recordings, subroutines and videos are kept. Default: `PERCEPTION_HOME`, else the "
        "user's data folder.",
    )
    profile_save_s: float = Field(180.0, gt=0, description="How often the profiles in use are kept, in s.")
    profile_days: float = Field(
        90.0, ge=0, description="A profile is deleted when none of its sessions was open for so many days; 0 for never."
    )
    max_videos: int = Field(8, ge=0, description="Videos that are made at once.")
    videos_mib: int = Field(2048, ge=1, description="Size of all videos that are kept, MiB.")
    video_days: float = Field(7.0, ge=0, description="How many days videos are kept; 0 for ever.")
    telemetry_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Hosts whose requests count as telemetry, beside those that are known as such."
    )
    drain_s: float = Field(10.0, ge=0, description="How long running calls may finish when the service ends, in s.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least serious messages of the log: debug, info, warning or error."
    )
    log_format: Literal["json", "console"] = Field("json", description="Form of the log: json, or console for reading.")

    @property
    def data_folder(self) -> Path:
        """The folder of what clients keep: `data_dir`, or that of the user."""
        return self.data_dir or paths.data_folder()

    @field_validator("allow_hosts", "detectors", "telemetry_hosts", mode="before")
    @classmethod
    def _listed(cls, given: Any) -> Any:
        """Lists are `ONE,OTHER` in environment variables."""
        return tuple(each.strip() for each in given.split(",") if each.strip()) if isinstance(given, str) else given

    @model_validator(mode="before")
    @classmethod
    def _of_its_cluster(cls, given: Any) -> Any:
        """Fills in what lies in the cluster's folder."""
        if not isinstance(given, dict) or not given.get("cluster"):
            return given
        folder = Path(given["cluster"])
        files = {"session_keys": "session.keys"}
        if given.get("worker") not in (None, False, "", "0", "false"):
            files |= {"tls_cert": "worker.pem", "tls_key": "worker.key", "tls_client_ca": "authority.pem"}
        return {name: folder / file for name, file in files.items()} | given

    @model_validator(mode="after")
    def _trusts_its_own_user_only(self) -> Self:
        if self.trust_named_hosts and not self.address.startswith("unix:"):
            raise ValueError("trust_named_hosts is for a service on a Unix socket, whose clients are its own user's")
        if self.claim_wait_s and self.placement == LOCAL:
            raise ValueError("sessions wait for a slot at edges: give --placement, too")
        if self.worker and (self.placement != LOCAL or self.viewer):
            raise ValueError("a worker has its sessions itself, for edges: give --placement and --viewer to those")
        return self
