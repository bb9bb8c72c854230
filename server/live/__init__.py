"""What people see who watch a session: its calls, and small pictures before and after them."""
