"""The DevTools protocol over one WebSocket."""
