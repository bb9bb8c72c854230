"""The fixtures of the service's tests: pages that are written where they are tested."""

from tests.server.conftest import scripted as scripted
from tests.server.conftest import show as show
