"""What may not leave the house: secrets are always masked, names of people and machines where the owner asks.

Everything works on the incident as one JSON object, after the diagnosis: what was concluded cannot change, and every
output is made from what is left.
"""
