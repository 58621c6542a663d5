"""What a node is: its name, hosts, addresses, tasks; what it was told; how it ended."""
