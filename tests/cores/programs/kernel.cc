// Kernels laid out as those of TensorFlow, one of which dies; with an argument, while another one of its class is in use.
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#define APART __attribute__((noinline, noclone))

namespace tensorflow {
struct OpKernelContext { int rows; };

class OpKernel {
 public:
  OpKernel(const char *name, const char *type) : name_(name), type_(type), name_view_(name_), type_string_view_(type_) {}
  virtual ~OpKernel() {}
  virtual void Compute(OpKernelContext *context) = 0;

 private:
  std::shared_ptr<int> props_;
  std::string name_, type_;
  std::string_view name_view_, type_string_view_;
};

struct Tensor {
  union { unsigned short sizes16[6]; unsigned sizes32[3]; unsigned char bytes[16]; };
  long elements;
  void *buffer;
};

struct TensorValue { void *lock; Tensor *tensor; };

struct Params {
  long step;
  OpKernel *kernel;
  void *unknown[9];
  TensorValue *inputs;
  unsigned long count;
};

class Device {
 public:
  APART void Compute(Params *params, OpKernelContext *context) { params->kernel->Compute(context); context->rows++; }
};
}  // namespace tensorflow

static volatile int *volatile nowhere;

class GatherOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;
  APART void Compute(tensorflow::OpKernelContext *context) override {
    if (context->rows) *nowhere = context->rows;
    context->rows--;
  }
};

class ShardedGatherOp : public GatherOp {
 public:
  using GatherOp::GatherOp;
};

int main(int count, char **) {
  tensorflow::OpKernelContext context{count};
  tensorflow::Device device;
  auto kernel = std::make_unique<ShardedGatherOp>("model/embedding/rows", "ShardedGather");
  tensorflow::Tensor rows{{{4, 3}}, 12, nullptr}, index{{{}}, 1, nullptr}, wide{{{}}, 70000, nullptr};
  rows.bytes[13] = 1, rows.bytes[14] = 2;                       // float32[4,3]
  index.bytes[13] = 9;                                          // int64[]
  wide.sizes32[0] = 70000, wide.bytes[13] = 10, wide.bytes[14] = 1, wide.bytes[15] = 1;  // bool[70000]
  tensorflow::TensorValue inputs[] = {{nullptr, &rows}, {nullptr, &index}, {nullptr, &wide}};
  auto params = std::make_unique<tensorflow::Params>();
  params->inputs = inputs, params->count = 3, params->kernel = kernel.get();
  tensorflow::Params *volatile kept = params.get();
  if (count == 1) {
    device.Compute(kept, &context);
  } else {
    GatherOp other("model/other", "Gather");
    tensorflow::OpKernel *volatile held[] = {&other, kernel.get()};
    params->kernel = held[1];
    device.Compute(kept, &context);
    printf("%p\n", (void *)held[0]);
  }
  printf("%d\n", context.rows);
}
