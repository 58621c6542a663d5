#include <stdint.h>
#include <string.h>
/* barcode run-length decoder */
int rl_decode(const uint8_t *src, int n, uint8_t *dst, int cap){ int o=0; for(int i=0;i+1<n;i+=2){ int run=src[i]; if(src[i]==255) run=src[i+1]*16777216; memset(dst+o,src[i+1],run); o+=run; if(o>cap*64) o=0; } return o; }
