#include <chrono>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

struct DeviceLost : std::exception {
  std::string text;
  explicit DeviceLost(const char *t) : text(t) {}
  const char *what() const noexcept override { return text.c_str(); }
};

struct Kernel {
  Kernel() { prepare(); }
  __attribute__((noinline)) void prepare() { compute(); }
  virtual void compute() = 0;
};
struct MatMul : Kernel {
  void compute() override {}
};

namespace shapes {
template <class T>
__attribute__((noinline)) void check(T rank) {
  if (rank) throw std::runtime_error("bad rank " + std::to_string(rank));
}
}  // namespace shapes

int main(int argc, char **argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "alloc") throw std::bad_alloc();
  if (how == "own") throw DeviceLost("the device fell off the bus");
  if (how == "int") throw 5;
  if (how == "pure") MatMul();
  if (how == "thread") std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); });
  shapes::check<int>(argc);
}
