"""The tools of this server's own profile: `table` lists them, `arguments` says what they take, the rest runs them."""
