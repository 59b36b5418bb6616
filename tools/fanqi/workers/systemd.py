"""A hardened systemd unit for a worker."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["systemd_unit"]


def systemd_unit(
    command: str, config: Path, password_file: Path | None = None, *, niceness: int = 10, stop_seconds: int = 300
) -> str:
    """The unit's text.

    Args:
        command: how `fanqi` is started, an absolute path.
        config: the worker's configuration. It and the password are passed as credentials, so that they may belong to
            root and the worker may run as nobody in particular.
        niceness: of the service.
        stop_seconds: how long it may finish the job in hand when it is stopped.
    """
    credentials = f"LoadCredential=worker.toml:{config}"
    if password_file is not None:
        credentials += f"\nLoadCredential=password:{password_file}"
    return UNIT.format(command=shlex.quote(command), credentials=credentials, niceness=niceness, stop=stop_seconds)


UNIT = """\
[Unit]
Description=Fanqi analysis worker
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
ExecStart={command} worker --config ${{CREDENTIALS_DIRECTORY}}/worker.toml
# in the configuration: password_file = "$CREDENTIALS_DIRECTORY/password"
{credentials}
Environment=FANQI_CACHE_DIR=%C/fanqi
CacheDirectory=fanqi
DynamicUser=yes
Nice={niceness}
# SIGINT, to the worker alone: it finishes the job in hand. What is not done in time is killed; the dispatcher notices.
KillMode=mixed
KillSignal=SIGINT
TimeoutStopSec={stop}
Restart=on-failure
RestartSec=10

NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
UMask=0077
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
# MemoryDenyWriteExecute is left out: kernels are compiled while the worker runs.

[Install]
WantedBy=multi-user.target
"""
