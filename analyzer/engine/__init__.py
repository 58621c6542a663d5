"""Where the work of reading runs: in this process, in several, or on a cluster. The answer is the same."""
