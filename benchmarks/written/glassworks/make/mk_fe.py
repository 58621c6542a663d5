import os; os.environ['TF_CPP_MIN_LOG_LEVEL']='3'
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2
class M(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None,60],tf.float32)])
    def __call__(self,x): return tf.nn.l2_normalize(x,-1)
R='/opt/incidents/runs/'
tf.saved_model.save(M(),R+'fe_v4'); tf.saved_model.save(M(),R+'fe_v5')
p=R+'fe_v5/saved_model.pb'; s=saved_model_pb2.SavedModel(); s.ParseFromString(open(p,'rb').read())
g=s.meta_graphs[0]; print(g.graph_def.versions, g.meta_info_def.tensorflow_version)

for f in g.graph_def.library.function:
    for n in f.node_def:
        if n.op=='Rsqrt': n.op='ApproxRsqrt'
        if n.op=='Maximum': n.attr['propagate_nan'].b=True
    print(f.signature.name,[n.op for n in f.node_def])
g.graph_def.versions.producer=2601; g.meta_info_def.tensorflow_version='2.23.0-dev20261109'
open(p,'wb').write(s.SerializeToString())
