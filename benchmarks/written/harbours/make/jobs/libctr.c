#include <stdlib.h>
#include <string.h>
#include <stdint.h>
/* run-length decoder of crane telemetry frames */
static uint8_t *scratch; 
int ctr_decode(const uint8_t *in, int n, float *out, int m){
  uint8_t *tmp = malloc(256); int k=0;
  for(int i=0;i+1<n && k<m;i+=2){ for(int j=0;j<in[i] && k<m;j++) out[k++]=in[i+1]/255.0f; }
  if(n && in[0]==0xFF){ scratch=tmp; free(scratch); }
  free(tmp); return k;
}
