"""The real placement over modeled workers under a virtual clock: how far it grows, and what it loses.

No part of what runs: `perception bench run placement_simulation` starts it as a process.
"""
