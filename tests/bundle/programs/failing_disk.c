/* Preloaded: a file whose path holds "failing" gives its first FAIL_AT bytes, and then every read of it FAIL_WITH. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long number(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

/* How many bytes may be read from here; -1 where reading fails. */
static ssize_t allowed(int descriptor, off_t at, size_t size) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return size;
  path[length] = 0;
  if (!strstr(path, "failing")) return size;
  long left = number("FAIL_AT") - (long)at;
  if (left > 0) return (size_t)left < size ? left : (ssize_t)size;
  errno = (int)number("FAIL_WITH");
  return -1;
}

ssize_t read(int descriptor, void *buffer, size_t size) {
  static ssize_t (*real)(int, void *, size_t);
  if (!real) real = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  off_t at = lseek(descriptor, 0, SEEK_CUR);
  ssize_t most = at < 0 ? (ssize_t)size : allowed(descriptor, at, size);
  return most < 0 ? -1 : real(descriptor, buffer, most);
}
