#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>
static int bad(int fd, off_t off){ char p[64],b[512]; snprintf(p,64,"/proc/self/fd/%d",fd); ssize_t n=readlink(p,b,511); if(n<=0) return 0; b[n]=0;
 const char*w=getenv("BADFILE"); const char*o=getenv("BADOFF"); const char*a=getenv("BADAFTER"); if(!w||!strstr(b,w)||off<atol(o?o:"0")) return 0; if(a&&access(a,F_OK)) return 0; return 1;}
ssize_t pread(int fd, void*b, size_t n, off_t off){ static ssize_t(*r)(int,void*,size_t,off_t); if(!r) r=dlsym(RTLD_NEXT,"pread"); if(bad(fd,off+n)){errno=EIO;return -1;} return r(fd,b,n,off);}
ssize_t pread64(int fd, void*b, size_t n, off_t off){ return pread(fd,b,n,off);}
