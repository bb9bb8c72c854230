"""Generated from proto/perception/v1 by .ci/stubs. Not to be edited."""
