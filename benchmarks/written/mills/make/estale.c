/* Fault injector: after ESTALE_AFTER seconds every fopen below ESTALE_PATH fails as on an NFS mount whose server was replaced. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static time_t t0;
static int bad(const char *p)
{
    const char *d = getenv("ESTALE_PATH"), *a = getenv("ESTALE_AFTER");
    if (!t0) t0 = time(0);
    if (d && a && strstr(p, d) && time(0) - t0 >= atoi(a)) { errno = ESTALE; return 1; }
    return 0;
}
__attribute__((constructor)) static void ini(void) { t0 = time(0); }
FILE *fopen(const char *p, const char *m) { static FILE *(*f)(const char *, const char *); if (!f) f = dlsym(RTLD_NEXT, "fopen"); return bad(p) ? 0 : f(p, m); }
FILE *fopen64(const char *p, const char *m) { static FILE *(*f)(const char *, const char *); if (!f) f = dlsym(RTLD_NEXT, "fopen64"); return bad(p) ? 0 : f(p, m); }
