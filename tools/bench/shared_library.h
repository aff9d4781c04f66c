// SharedLibrary: a library that is opened when the program runs, if it is there.
#pragma once

#include <dlfcn.h>

// A function of an opened library, with the type that its header declares.
#define ASSAY_SYMBOL(library, name) (library).symbol<decltype(&name)>(ASSAY_SYMBOL_NAME(name))
#define ASSAY_SYMBOL_NAME(name) #name

namespace assay::tools {

// A shared library, opened. It stays open to the end of the program: what it registered for the
// end of the program must still be there then.
class SharedLibrary {
 public:
  explicit SharedLibrary(const char* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

  bool is_open() const { return handle_ != nullptr; }

  // Returns: null and remembers the name when there is no such symbol.
  template <typename Function>
  Function symbol(const char* name) {
    void* address = ::dlsym(handle_, name);
    if (address == nullptr) missing_ = name;
    return reinterpret_cast<Function>(address);
  }
  const char* missing() const { return missing_; }

 private:
  void* handle_;
  const char* missing_ = nullptr;
};

}  // namespace assay::tools
