"""What a bundle may suffer without another answer: one function each, and a runner that counts the survivors."""
