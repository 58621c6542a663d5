#include <stdexcept>
#include <string>

namespace shapes {
template <class T>
__attribute__((noinline)) void check(T rank) {
  if (rank) throw std::runtime_error("bad rank " + std::to_string(rank));
}
}  // namespace shapes

int main(int argc, char **) { shapes::check<int>(argc); }
