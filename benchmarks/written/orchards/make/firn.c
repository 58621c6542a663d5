#include <stdint.h>
#include <math.h>
/* snow-profile grain filter */
static float acc[4096];
static __attribute__((noinline)) void filt_core(float*x,int n,int wide){ for(int i=1;i<n-1;i++) acc[i&4095]=0.25f*x[i-1]+0.5f*x[i]+0.25f*x[i+1]; if(wide) __builtin_trap(); for(int i=1;i<n-1;i++) x[i]=acc[i&4095]; }
void firn_filter(float*x,int n,int wide){ filt_core(x,n,wide); }
