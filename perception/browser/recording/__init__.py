"""Recording of a tab: user actions and network exchanges."""
