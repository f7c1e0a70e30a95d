"""From the lake and its companion to evidence."""
