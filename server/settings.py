"""Settings of the operator: options of `perception serve`, or environment variables `PERCEPTION_…`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import DirectoryPath, Field, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from perception import paths

MAX_MESSAGE_BYTES = 16 * 2**20
"""Both directions: a lossless 4K screenshot fits, a runaway request does not."""


LOCAL = "local"
"""The placement of a service that has its sessions itself."""


class Settings(BaseSettings):
    """One service's configuration. `allow_hosts` may be private: `HOST`, `HOST:PORT`, `*.NAME`, `NETWORK/BITS`;
    `*` allows every host.

    `data_dir` holds recordings and subroutines (default: `$PERCEPTION_HOME`, else the user's data folder);
    `token_file` lists callers and tokens; `tls_cert` and `tls_key` are PEM files, `tls_client_ca` is the authority
    whose certificates clients must present. `secrets_file` holds secrets that clients use by name. Connections of pages
    to public addresses go through `upstream_proxy` (`http://HOST:PORT` or `socks5://HOST:PORT`), with `USER:PASSWORD`
    of the secret `upstream_proxy_secret`. `telemetry_hosts` count as telemetry beside the known ones. `metrics_address`
    (HOST:PORT) serves metrics to Prometheus; on loopback only unless `metrics_public` is set, as it has no
    authentication. `health_address` answers health alone, to anybody and without TLS. `viewer` (HOST:PORT) serves the
    viewer to browsers. With `look_ahead` pages are looked at before clients ask, where that pays.

    `profile_key` is what profiles are encrypted with: a file with 32 bytes in base64, or `keyring` for the system's; by
    default a file in `data_dir` that is made when it is first needed. Profiles are kept every `profile_save_s` seconds,
    and deleted when none of their sessions was open for `profile_days`; 0 for never.

    `placement` says where sessions are: `local`, in this process; `static=HOST:PORT,HOST:PORT`, on workers at these
    addresses; or `ray=auto` and `ray=HOST:PORT`, on the workers of a Ray cluster. With the last two this process is an
    edge, where sessions wait for a slot for `claim_wait_s` at most. A `worker` takes calls from edges alone. Told to
    end, it takes no new sessions, and ends with its last one or after `drain_grace_s`.

    `session_keys` is a file with keys that session ids are signed with, one a line, the one that signs first; without
    it, ids are random characters. A signed id names the worker that has the session: `worker_name`, by default its
    host and port. `cluster` is a folder that `perception cluster init` has made, with these keys and the certificates
    by which edges and workers know each other.

    Videos are kept in `data_dir` after their sessions: for `video_days`, 0 for ever, and `videos_mib` in all.
    `max_videos` are made at once.

    With `start_browser` the browser starts with the service, not with the first session. With `idle_exit_s` the service
    ends after that time without a call. With `trust_named_hosts` a session's pages may
    reach the host of each URL that `Navigate` names, also a private one: for a service of one user on a Unix socket.
    """

    model_config = SettingsConfigDict(env_prefix="PERCEPTION_", frozen=True, extra="forbid")

    address: str = "127.0.0.1:50051"
    token_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    secrets_file: Path | None = None
    upstream_proxy: str = ""
    upstream_proxy_secret: str = ""
    allow_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    browser_path: Path | None = None
    cdp_endpoint: str = ""
    headless: bool = True
    sandbox: bool = True
    max_sessions: int = Field(32, ge=1)
    max_calls: int = Field(128, ge=1)
    max_queue: int = Field(256, ge=0)
    max_calls_per_session: int = Field(32, ge=1)
    max_tabs_per_session: int = Field(32, ge=1)
    max_watches: int = Field(64, ge=0)
    session_idle_s: float = Field(1800.0, gt=0)
    session_age_s: float = Field(12 * 3600.0, gt=0)
    memory_limit_mib: int = Field(0, ge=0)
    browser_memory_mib: int = Field(0, ge=0)
    memory_check_s: float = Field(10.0, gt=0)
    default_deadline_s: float = Field(30.0, gt=0)
    max_deadline_s: float = Field(300.0, gt=0)
    reply_reserve_s: float = Field(0.2, ge=0)
    detectors: Annotated[tuple[str, ...], NoDecode] = ()
    look_ahead: bool = True
    upload_dir: DirectoryPath | None = None
    download_dir: Path | None = None
    max_download_mib: int = Field(256, ge=1)
    max_session_downloads_mib: int = Field(1024, ge=1)
    max_session_uploads_mib: int = Field(256, ge=1)
    data_dir: Path | None = None
    profile_key: str = ""
    profile_save_s: float = Field(180.0, gt=0)
    profile_days: float = Field(90.0, ge=0)
    max_videos: int = Field(8, ge=0)
    videos_mib: int = Field(2048, ge=1)
    video_days: float = Field(7.0, ge=0)
    telemetry_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    drain_s: float = Field(10.0, ge=0)
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["json", "console"] = "json"
    metrics_address: str = ""
    metrics_public: bool = False
    health_address: str = ""
    viewer: str = ""
    idle_exit_s: float = Field(0.0, ge=0)
    start_browser: bool = False
    trust_named_hosts: bool = False
    placement: str = LOCAL
    worker: bool = False
    claim_wait_s: float = Field(0.0, ge=0)
    drain_grace_s: float = Field(300.0, ge=0)
    session_keys: Path | None = None
    cluster: Path | None = None
    worker_name: str = Field("", max_length=255)

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
