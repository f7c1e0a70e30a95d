"""The demo sessions that come with the package, and the questions asked of them: data only."""
