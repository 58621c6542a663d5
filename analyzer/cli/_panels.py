"""The groups in which `--help` lists the options of a command. No command of its own."""

INPUT = "Input"
OUTPUT = "Output"
DECISION = "Exit status"
PRIVACY = "Privacy"
HISTORY = "History and comparison"
SPEED = "Speed and progress"
SELECTION = "Selection"
