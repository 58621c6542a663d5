#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
/* NFS server re-exported: every read of a file below $STALE_DIR gives ESTALE once the flag file exists */
static int bad(int fd){ char p[64], b[512]; const char*d=getenv("STALE_DIR"),*f=getenv("STALE_FLAG"); struct stat s; if(!d||!f) return 0;
  if(stat(f,&s)) return 0; snprintf(p,64,"/proc/self/fd/%d",fd); ssize_t n=readlink(p,b,511); if(n<=0) return 0; b[n]=0; return strncmp(b,d,strlen(d))==0; }
ssize_t read(int fd, void*b, size_t n){ static ssize_t(*r)(int,void*,size_t); if(!r) r=dlsym(RTLD_NEXT,"read"); if(bad(fd)){errno=ESTALE;return -1;} return r(fd,b,n);}
ssize_t pread(int fd, void*b, size_t n, off_t o){ static ssize_t(*r)(int,void*,size_t,off_t); if(!r) r=dlsym(RTLD_NEXT,"pread"); if(bad(fd)){errno=ESTALE;return -1;} return r(fd,b,n,o);}
ssize_t pread64(int fd, void*b, size_t n, off64_t o){ static ssize_t(*r)(int,void*,size_t,off64_t); if(!r) r=dlsym(RTLD_NEXT,"pread64"); if(bad(fd)){errno=ESTALE;return -1;} return r(fd,b,n,o);}
