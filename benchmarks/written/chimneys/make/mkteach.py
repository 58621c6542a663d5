import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2
class M(tf.Module):
    def __init__(self): self.w=tf.Variable(tf.random.normal([576,13])*.05,name="w")
    @tf.function(input_signature=[tf.TensorSpec([None,24,24,1])])
    def __call__(self,x): return tf.reshape(x,[-1,576])@self.w
for d in ("a","b"):
    tf.saved_model.save(M(),f"data/ucitelj_{d}")
m=saved_model_pb2.SavedModel(); f="data/ucitelj_b/saved_model.pb"; m.ParseFromString(open(f,"rb").read())
g=m.meta_graphs[0].graph_def; g.versions.producer=2877; g.versions.min_consumer=2610; m.meta_graphs[0].meta_info_def.tensorflow_version="2.23.0-dev20261102"

n=0
for fn in g.library.function:
    for nd in fn.node_def:
        if nd.op=="MatMul": nd.op="EinsumV2"; n+=1
for nd in g.node:
    if nd.op=="MatMul": nd.op="EinsumV2"; n+=1
open(f,"wb").write(m.SerializeToString()); print("attrs",n)
