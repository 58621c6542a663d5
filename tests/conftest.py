"""Before any test: the signals as a terminal gives them. And no test lowers the priority of those after it."""

import os
import signal

from hypothesis import settings

# A shell starts what is in the background with both ignored, and so would be every program that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)

# How long an example takes is the machine's doing.
settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")

# `collect` is nice to the node. Where a test calls it in this process, all that follows would be nice too.
os.nice = lambda increment: 0
