"""What happens at run time: metrics for Prometheus, and timed stages of a call."""
