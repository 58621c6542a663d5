from specs import *
mw("mism",[23001,23002,23003],f"--podatki {D}/letnik25 --koraki 300",per={i:f"--razredi {D}/razredi{'-14' if i==2 else ''}.txt" for i in range(3)},limit=58)
