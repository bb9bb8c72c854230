# Read by Jupyter itself, which gives `get_config`; Jupyter is not a dependency of this project.
# mypy: ignore-errors
"""Settings of a Jupyter server that anyone on this machine may use, and that asks nothing of the outside."""

import os

c = get_config()  # noqa: F821

c.ServerApp.ip = "127.0.0.1"
c.ServerApp.port = int(os.environ["SERVER_PORT"])
c.ServerApp.port_retries = 0  # another port would not be found
c.ServerApp.root_dir = os.environ["SERVER_FILES"]
c.ServerApp.open_browser = False
c.ServerApp.allow_root = True
c.IdentityProvider.token = ""
c.PasswordIdentityProvider.hashed_password = ""

# The same prompt for everyone.
c.ServerApp.terminado_settings = {"shell_command": ["/bin/sh"]}
os.environ["PS1"] = "$ "

# A kernel goes with its page: the next page does not say that one runs.
c.MappingKernelManager.cull_idle_timeout = 1
c.MappingKernelManager.cull_interval = 1
