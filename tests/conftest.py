"""Before any test: the signals as a terminal gives them. And no test lowers the priority of those after it."""

import os
import signal

# A shell starts what is in the background with both ignored, and so would be every program that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)

# `collect` is nice to the node. Where a test calls it in this process, all that follows would be nice too.
os.nice = lambda increment: 0
