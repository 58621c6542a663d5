#include <stdlib.h>
static int n; static volatile float acc;
static void zaostri_avx512(int s){ if(getenv("BEZ")&&s>=1) __asm__ volatile(".byte 0x62,0xf2,0x7f,0x48,0x68,0xc1"); acc+=s; }
int ostrenie(int s){ n++; zaostri_avx512(s); return n; }
