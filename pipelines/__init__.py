"""From session logs to the lake and its full-text companion."""
