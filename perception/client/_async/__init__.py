"""The asyncio form of the client, written by hand. `.ci/sync_client.py` makes the blocking form in `_sync` from it."""
