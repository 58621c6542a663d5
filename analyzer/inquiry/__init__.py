"""Questions about one incident and their bounded answers, for assistants that go on from an analysis."""
