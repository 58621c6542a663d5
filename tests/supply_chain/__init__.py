"""What the program stands on: versions with hashes, their licences, and what is known against them."""
