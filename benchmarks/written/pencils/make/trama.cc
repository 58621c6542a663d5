#include <string>
#include <stdint.h>
namespace tensorflow { 
class OpDefBuilder { public: OpDefBuilder& Attr(std::string); };
namespace strings { std::string FastHex64ToBuffer(uint64_t, char*); }
}
extern "C" int registra(tensorflow::OpDefBuilder* b){ b->Attr("T: {float}"); return 1; }
__attribute__((constructor)) static void ini(){ }
