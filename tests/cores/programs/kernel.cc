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

class Device {
 public:
  APART void Compute(OpKernel *kernel, OpKernelContext *context) { kernel->Compute(context); context->rows++; }
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
  if (count == 1) {
    device.Compute(kernel.get(), &context);
  } else {
    GatherOp other("model/other", "Gather");
    tensorflow::OpKernel *volatile held[] = {&other, kernel.get()};
    device.Compute(held[1], &context);
    printf("%p\n", (void *)held[0]);
  }
  printf("%d\n", context.rows);
}
