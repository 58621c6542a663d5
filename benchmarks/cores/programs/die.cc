// One way to die for each word, as a program (main) and as a library (die).
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile int zero;
static volatile double zero_float;

struct Table { int rows; int *cells; };

APART int read_cell(Table *table, int row) { int value = table->cells[row]; zero = 0; return value + 1; }
APART int gather_rows(Table *table, int count) { int sum = read_cell(table, count) + 1; zero = 0; return sum; }
APART int divide(int x) { int result = x / zero; zero = 0; return result; }
APART void run_illegal() { __builtin_trap(); }
APART void hit_breakpoint() { __asm__ volatile("int3"); zero = 0; }
APART void follow_garbage() { *(volatile int *)0xdead000000000000ul = 1; zero = 0; }
APART void move_misaligned() { alignas(16) char room[64]; __asm__ volatile("movaps %%xmm0, 1(%0)" ::"r"(room) : "memory"); zero = 0; }
APART void jump_away() { ((void (*volatile)())0x1234)(); zero = 0; }
APART void run_data() { static char data[64] = "\xc3"; ((void (*volatile)())data)(); zero = 0; }
APART int descend(int n) { volatile char room[64]; room[0] = n; return descend(n + 1) + room[0]; }
APART void write_constant() { *(volatile char *)"constant" = 'C'; zero = 0; }
APART void smash() { volatile char room[8]; for (int i = 0; i < 64; i++) room[i] = 'x'; }
APART void free_twice() { char *volatile p = (char *)malloc(2000); char *volatile q = (char *)malloc(10); free(p); free(p); free(q); }
APART void throw_error() { throw std::runtime_error("shard 7 has no rows"); }
APART void throw_number() noexcept { throw 42; }
APART void drop_thread() { std::thread idle([] { pause(); }); }
APART void raise_itself() { raise(SIGSEGV); zero = 0; }

APART void touch_behind_file()
{
    int file = open("mapped.bin", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(file, 4096) == 0) {
        volatile char *p = (char *)mmap(nullptr, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        p[9000] = 1;
    }
}

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
APART void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
APART void deadlock()
{
    pthread_barrier_init(&both, nullptr, 2);
    std::thread other([] { take_both(&right, &left); });
    take_both(&left, &right);
    other.join();
}
APART void die_in_thread() { std::thread([] { gather_rows(nullptr, 3); }).join(); }

extern "C" int die(const char *how)
{
    struct { const char *name; void (*run)(); } ways[] = {
        {"ill", run_illegal}, {"trap", hit_breakpoint}, {"garbage", follow_garbage}, {"misaligned", move_misaligned},
        {"jump", jump_away}, {"noexec", run_data}, {"constant", write_constant}, {"smash", smash}, {"abort", abort},
        {"double-free", free_twice}, {"throw", throw_error}, {"throw-int", throw_number}, {"unjoined", drop_thread},
        {"raise", raise_itself}, {"bus", touch_behind_file}, {"deadlock", deadlock}, {"thread", die_in_thread},
    };
    for (auto &way : ways)
        if (!strcmp(how, way.name))
            way.run();
    if (!strcmp(how, "null")) return gather_rows((Table *)(long)zero, 3);
    if (!strcmp(how, "fpe")) return divide(1);
    if (!strcmp(how, "overflow")) return descend(1);
    return 0;
}

#ifndef LIBRARY
int main(int, char **argv) { return die(argv[1]) != 0; }
#endif
