"""Who may call, and which secrets the service keeps."""
