"""What a browser keeps of its sites: cookies, localStorage and IndexedDB, as Playwright's storage state."""
