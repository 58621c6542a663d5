/* One way to die for each word. The functions stay apart so that stacks have their names. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

struct node { struct node *next; int values[10]; };
static volatile int zero;

APART int read_node(struct node *node) { return node->next->values[3] + 1; }
APART int walk_nodes(struct node *node, int factor) { int value = read_node(node); return value * factor + 1; }
APART void check_answer(int x) { assert(x == 42 && "the answer"); }
APART void free_twice(void) { char *volatile p = malloc(2000); char *volatile q = malloc(10); free(p); free(p); free(q); }
APART int descend(int n) { volatile char room[16]; room[0] = n; return descend(n + 1) + room[0]; }
APART int odd(int n);
APART int even(int n) { volatile char room[16]; room[0] = n; return odd(n + 1) + room[0]; }
APART int odd(int n) { volatile char room[16]; room[0] = n; return even(n + 1) + room[0]; }
APART void touch_behind_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(fd, 4096) == 0) {
        volatile char *p = mmap(0, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        p[9000] = 1;
    }
}
APART void run_illegal(void) { __builtin_trap(); zero = 1; }
APART int divide(int x) { return x / zero; }
APART void jump_to_null(void) { void (*volatile f)(void) = 0; f(); zero++; }
APART void follow_garbage(void) { *(volatile int *)0xdead000000000000ul = 1; zero = 1; }
APART void write_constant(void) { *(volatile char *)"constant" = 'C'; zero = 1; }
APART void wait_for_signal(void) { pause(); zero = 1; }
APART void lock_twice(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    zero = 1;
}
APART void segfault(void) { *(volatile int *)(long)zero = 1; zero = 1; }

static void raise_again(int number) { signal(number, SIG_DFL); raise(number); }
static void die_in_handler(int number) { (void)number; abort(); }
static void *idle(void *arg) { pause(); return arg; }
static void *die_in_thread(void *arg) { usleep(200000); *(volatile int *)8 = 1; return arg; }

APART void six_threads(void)
{
    pthread_t threads[6];
    for (int i = 0; i < 5; i++)
        pthread_create(threads + i, 0, idle, 0);
    pthread_create(threads + 5, 0, die_in_thread, 0);
    pause();
    zero = 1;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    struct node node = {0};
    if (!strcmp(how, "null")) return walk_nodes(&node, argc);
    if (!strcmp(how, "assert")) check_answer(argc);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "double-free")) free_twice();
    if (!strcmp(how, "overflow")) return descend(1);
    if (!strcmp(how, "mutual")) return even(1);
    if (!strcmp(how, "bus")) touch_behind_file(argv[2]);
    if (!strcmp(how, "illegal")) run_illegal();
    if (!strcmp(how, "divide")) return divide(argc);
    if (!strcmp(how, "jump")) jump_to_null();
    if (!strcmp(how, "garbage")) follow_garbage();
    if (!strcmp(how, "constant")) write_constant();
    if (!strcmp(how, "threads")) six_threads();
    if (!strcmp(how, "wait")) wait_for_signal();
    if (!strcmp(how, "relock")) lock_twice();
    if (!strcmp(how, "raise-again")) { signal(SIGSEGV, raise_again); segfault(); }
    if (!strcmp(how, "handler")) { signal(SIGSEGV, die_in_handler); segfault(); }
    return 0;
}
