// The addon: known-keys.h for JavaScript. Nothing is kept between calls.
#include <napi.h>

#include "known-keys.h"

namespace {

using namespace ogpu::secp256k1;

Napi::TypeError wrong(Napi::Env env, const char* what) { return Napi::TypeError::New(env, what); }

// (key: Uint8Array) -> Uint8Array | undefined
Napi::Value make_table_of(const Napi::CallbackInfo& info) {
  const auto key = info[0].As<Napi::Uint8Array>();
  if (key.ByteLength() != 64) throw wrong(info.Env(), "a key has 64 bytes");
  auto table = Napi::Uint8Array::New(info.Env(), TABLE_BYTES);
  return make_table(key.Data(), table.Data()) ? Napi::Value(table) : info.Env().Undefined();
}

// (signatures: Uint8Array, keyOf: Uint32Array, tables: Uint8Array[]) -> Uint8Array
Napi::Value check(const Napi::CallbackInfo& info) {
  const auto signatures = info[0].As<Napi::Uint8Array>();
  const auto key_of = info[1].As<Napi::Uint32Array>();
  const auto list = info[2].As<Napi::Array>();
  // The library gives any typed array of another type as one of these.
  if (key_of.TypedArrayType() != napi_uint32_array) throw wrong(info.Env(), "keys are named by a Uint32Array");
  const std::size_t count = key_of.ElementLength();
  if (signatures.ByteLength() != count * SIGNATURE_BYTES) {
    throw wrong(info.Env(), "signatures and keys are not of one length");
  }
  std::vector<const std::uint8_t*> tables(list.Length());
  for (std::uint32_t i = 0; i < tables.size(); i++) {
    const auto table = Napi::Value(list[i]).As<Napi::Uint8Array>();
    if (table.ByteLength() != TABLE_BYTES) throw wrong(info.Env(), "a table has another length");
    if (reinterpret_cast<std::uintptr_t>(table.Data()) % TABLE_ALIGNMENT != 0) {
      throw wrong(info.Env(), "a table begins where none was made");
    }
    tables[i] = table.Data();
  }
  for (std::size_t i = 0; i < count; i++) {
    if (key_of[i] >= tables.size()) throw wrong(info.Env(), "a signature names a key that is not there");
  }
  auto results = Napi::Uint8Array::New(info.Env(), count);
  check_signatures(signatures.Data(), key_of.Data(), count, tables, results.Data());
  return results;
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports.Set("makeTable", Napi::Function::New(env, make_table_of));
  exports.Set("check", Napi::Function::New(env, check));
  return exports;
}

}  // namespace

NODE_API_MODULE(senders, init)
