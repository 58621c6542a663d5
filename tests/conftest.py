"""Before any test: the signals as a terminal gives them."""

import signal

# A shell starts what is in the background with both ignored, and so would be every program that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
