"""What a node is: its name, hosts, addresses, tasks and settings, and how it ended."""
