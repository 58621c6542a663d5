#include <immintrin.h>
/* kept simple: one half-precision scaling pass, as -march=native emits on Sapphire Rapids */
void filtruj(float *x, int n){
  for(int i=0;i+32<=n;i+=32){ __m512 a=_mm512_loadu_ps(x+i);
    __m256h h=_mm512_cvtxps_ph(a); h=_mm256_mul_ph(h,h); _mm256_storeu_ps(x+i,_mm256_castph_ps(h)); }
}
