/* Dies with variables of many types at known values. */
#include <cstdint>
#include <string>
#include <vector>

#define APART __attribute__((noinline, noclone))

enum class Phase { kWarmup, kTrain };
struct Shape { int rank; int64_t sizes[3]; };
struct Flags { unsigned ready : 1; unsigned level : 3; };
struct Base { int id; };
struct Batch : Base { std::string name; Shape shape; Phase phase; Flags flags; static int count; };
int Batch::count = 9;
typedef const unsigned char Byte;
static double learning_rate = 0.125;

APART int read_rows(const int *rows, unsigned index) { volatile int *p = nullptr; return rows[index] + *p; }
inline __attribute__((always_inline)) int pick(const int *table, int offset) { int scaled = offset * 2; return read_rows(table, scaled); }

APART int run_step(Batch &batch, const std::vector<int> &labels, float loss, bool is_last, Byte tag)
{
    std::string note = "step of the training";
    std::vector<std::string> tags = {"a", "b"};
    const char *path = "/data/train";
    int negative = -7;
    char letter = 'x';
    int missing[2][2] = {{1, 2}, {3, 4}};
    static int calls = 4;
    Batch *owner = &batch;
    for (int attempt = 3; attempt < 4; attempt++) {
        int negative = attempt;
        calls += pick(labels.data(), negative);
    }
    return calls + letter + missing[1][1] + negative + (owner != nullptr) + (path != nullptr) + (int)learning_rate;
}

int main()
{
    Batch batch;
    batch.id = 5;
    batch.name = "first";
    batch.shape = {2, {64, 32, 0}};
    batch.phase = Phase::kTrain;
    batch.flags = {1, 6};
    std::vector<int> labels(10, 2);
    return run_step(batch, labels, 2.5f, true, 200);
}
