"""How much work the service accepts at once."""
