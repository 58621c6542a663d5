#!/bin/bash
# go.sh BATCH NAME...: run the named incidents one after the other
b=$1; shift; for n in "$@"; do python3 $b $n 2>&1 | cut -c1-300; done
