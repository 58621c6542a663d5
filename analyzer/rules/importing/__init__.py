"""Rule formats of other tools, converted to packs: preq's CRE and the configurations of node-problem-detector."""
