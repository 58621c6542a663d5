#include <math.h>
static volatile int calls=0;
__attribute__((noinline)) static float kernel512(const float*x,int n){ float s=0; for(int i=0;i<n;i++) s+=x[i]*x[i];  return s; }
float wingbeat_rms(const float*x,int n){ return sqrtf(kernel512(x,n)/n); }
