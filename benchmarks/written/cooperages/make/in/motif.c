#include <stdlib.h>
#include <string.h>
typedef struct { int *bin[12]; int n[12]; } M;
void *motif_new(void){ M *m = calloc(1,sizeof *m); for(int i=0;i<12;i++) m->bin[i]=malloc(512*sizeof(int)); return m; }
void motif_add(void *p,int c,int slot){ M*m=p; m->bin[c][slot]++; m->n[c]++; if(m->n[c]%997==0){ int *nb=malloc(512*sizeof(int)); memcpy(nb,m->bin[c],512*sizeof(int)); free(m->bin[c]); m->bin[c]=nb; } }
