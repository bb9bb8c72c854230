"""The blocking form of the client, made from `_async` by .ci/sync_client.py. Not to be edited."""
