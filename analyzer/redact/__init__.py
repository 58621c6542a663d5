"""Hide what may not leave the organization: secrets always, names of people and machines with `--redact`.

Everything works on the incident as one JSON object, after the diagnosis. So the conclusions cannot change, and every
output is made from the object that is left.
"""
