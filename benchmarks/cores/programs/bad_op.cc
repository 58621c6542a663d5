// An operation of TensorFlow that dies in one way for each word of its attribute `how`.
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

#define APART __attribute__((noinline, noclone))

static volatile int zero;

struct Table {
  float *rows;
};

APART float gather_one(Table *table, int row) { float value = table->rows[row]; zero = 0; return value; }
APART int divide(int x) { int result = x / zero; zero = 0; return result; }
APART void run_illegal() { __builtin_trap(); }
APART void free_twice() { char *volatile p = (char *)malloc(2000); char *volatile q = (char *)malloc(10); free(p); free(p); free(q); }
APART void throw_error() { throw std::runtime_error("shard 7 has no rows"); }

class BadOp : public tensorflow::OpKernel {
 public:
  explicit BadOp(tensorflow::OpKernelConstruction *context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("how", &how_));
  }

  void Compute(tensorflow::OpKernelContext *context) override {
    const tensorflow::Tensor &rows = context->input(0);
    tensorflow::Tensor *output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, rows.shape(), &output));
    output->flat<float>().setZero();
    if (how_ == "segv") output->flat<float>()(0) = gather_one(nullptr, 3);
    if (how_ == "fpe") divide(7);
    if (how_ == "ill") run_illegal();
    if (how_ == "check") CHECK_EQ(rows.dims(), 77) << "rows of a shard";
    if (how_ == "double-free") free_twice();
    if (how_ == "throw") throw_error();
    if (how_ == "thread") std::thread([] { gather_one(nullptr, 3); }).join();
  }

 private:
  std::string how_;
};

REGISTER_OP("BadOp").Attr("how: string").Input("rows: float").Output("out: float").SetIsStateful();
REGISTER_KERNEL_BUILDER(Name("BadOp").Device(tensorflow::DEVICE_CPU), BadOp);
