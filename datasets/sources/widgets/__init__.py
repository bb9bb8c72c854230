"""Pages of real widgets: component libraries mounted on pages of ours, and demo pages that packages ship."""
