/* Loaded with LD_PRELOAD: hands a fatal signal to Crashpad's handler, which writes a minidump of this process. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct __attribute__((packed, aligned(4))) exception_information {
    uint64_t siginfo;
    uint64_t context;
    int32_t thread;
};

static void dump(int number, siginfo_t *info, void *context) {
    static struct exception_information place;
    static char option[64], database[512];
    place.siginfo = (uint64_t)info;
    place.context = (uint64_t)context;
    place.thread = (int32_t)syscall(SYS_gettid);
    snprintf(option, sizeof option, "--trace-parent-with-exception=0x%lx", (unsigned long)&place);
    snprintf(database, sizeof database, "--database=%s", getenv("MINIDUMP_DATABASE"));
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("LD_PRELOAD");
        execl(getenv("MINIDUMP_HANDLER"), "handler", option, database, "--no-rate-limit", (char *)0);
        _exit(127);
    }
    waitpid(child, 0, 0);
    signal(number, SIG_DFL);
    raise(number);
}

__attribute__((constructor)) static void install(void) {
    struct sigaction action = {.sa_sigaction = dump, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    int numbers[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    for (int i = 0; i < 5; i++) sigaction(numbers[i], &action, 0);
}
