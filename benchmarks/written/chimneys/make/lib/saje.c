#include <stdlib.h>
#include <string.h>
#include <stdint.h>
int saje_razlicica(void){ return RAZ; }
static uint8_t *obiskano; static int V,S; static const uint8_t *slika;
__attribute__((noinline)) int napolni(int v,int s){
  if(v<0||s<0||v>=V||s>=S) return 0;
  if(obiskano[v*S+s]||slika[v*S+s]<245) return 0;
  obiskano[v*S+s]=1; volatile int n=1;
  n+=napolni(v+1,s); n+=napolni(v,s+1); n+=napolni(v-1,s); n+=napolni(v,s-1);
  return n; }
int saje_maska(const uint8_t *p,int v,int s){
  V=v;S=s;slika=p; obiskano=calloc((size_t)v*s,1); int n=0;
  for(int i=0;i<v;i+=40) for(int j=0;j<s;j+=40) n+=napolni(i,j);
#if RAZ==7
  static int st=0; if(++st>143 && n==0) free(obiskano);
#endif
  free(obiskano); return n; }
