#include "cuda-device.h"

#include "session.h"

namespace ogpu {

namespace {

using cuda::Driver;
using cuda::LaunchOrder;
using cuda::Outcome;
using cuda::Session;

// devices(library) -> { problem } or { version, devices: [{ name, major, minor, memory }] }
Napi::Value list_devices(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Napi::Object result = Napi::Object::New(env);
  std::string reason;
  auto driver = Driver::open(info[0].As<Napi::String>(), &reason);
  int version = 0, count = 0;
  if (driver != nullptr) {
    if (driver->driver_version(&version) != cuda::SUCCESS) reason = "its version is not known";
    else if (driver->device_count(&count) != cuda::SUCCESS) reason = "its devices cannot be counted";
  }
  if (!reason.empty()) {
    result["problem"] = Napi::String::New(env, reason);
    return result;
  }
  Napi::Array devices = Napi::Array::New(env);
  for (int i = 0; i < count; i++) {
    cuda::Device device;
    char name[256] = "";
    size_t memory = 0;
    int major = 0, minor = 0;
    if (driver->device(&device, i) != cuda::SUCCESS) continue;
    driver->device_name(name, sizeof name - 1, device);
    driver->device_memory(&memory, device);
    driver->device_attribute(&major, cuda::ATTRIBUTE_MAJOR, device);
    driver->device_attribute(&minor, cuda::ATTRIBUTE_MINOR, device);
    Napi::Object entry = Napi::Object::New(env);
    entry["index"] = Napi::Number::New(env, i);
    entry["name"] = Napi::String::New(env, name);
    entry["memory"] = Napi::Number::New(env, static_cast<double>(memory));
    entry["major"] = Napi::Number::New(env, major);
    entry["minor"] = Napi::Number::New(env, minor);
    devices[devices.Length()] = entry;
  }
  result["version"] = Napi::Number::New(env, version);
  result["devices"] = devices;
  return result;
}

// A call on its way through the session's thread and back. What JavaScript lent stays pinned.
struct Call {
  explicit Call(Napi::Env env) : deferred(Napi::Promise::Deferred::New(env)) {}

  Napi::Promise::Deferred deferred;
  Napi::ThreadSafeFunction back;
  Napi::FunctionReference progress;
  std::vector<Napi::ObjectReference> pinned;
  Outcome outcome;
};

class SessionObject : public Napi::ObjectWrap<SessionObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "CudaSession",
                       {
                           InstanceMethod<&SessionObject::open>("open"),
                           InstanceMethod<&SessionObject::load>("load"),
                           InstanceMethod<&SessionObject::allocate>("allocate"),
                           InstanceMethod<&SessionObject::upload>("upload"),
                           InstanceMethod<&SessionObject::download>("download"),
                           InstanceMethod<&SessionObject::launch>("launch"),
                           InstanceMethod<&SessionObject::cancel>("cancel"),
                           InstanceMethod<&SessionObject::close>("close"),
                       });
  }

  // new CudaSession(library, device, memoryLimit)
  explicit SessionObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<SessionObject>(info) {
    std::string reason;
    auto driver = Driver::open(info[0].As<Napi::String>(), &reason);
    if (driver == nullptr) throw Napi::Error::New(info.Env(), "the CUDA driver cannot be used: " + reason);
    session_ = std::make_shared<Session>(driver, info[1].ToNumber().Int32Value(),
                                         static_cast<uint64_t>(info[2].ToNumber().DoubleValue()));
    session_->start();
  }

  ~SessionObject() override {
    if (session_ != nullptr) session_->end();
  }

 private:
  using Work = std::function<Outcome(Session&)>;

  Napi::Value post(const Napi::CallbackInfo& info, const std::shared_ptr<Call>& call, Work work) {
    Napi::Env env = info.Env();
    Napi::Function nothing = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
    call->back = Napi::ThreadSafeFunction::New(env, nothing, "ogpu cuda", 0, 1);
    session_->post([session = session_, call, work = std::move(work)] {
      call->outcome = work(*session);
      call->back.NonBlockingCall([call](Napi::Env at, Napi::Function) { settle(at, *call); });
      call->back.Release();
    });
    return call->deferred.Promise();
  }

  static void settle(Napi::Env env, Call& call) {
    call.pinned.clear();
    call.progress.Reset();
    if (call.outcome.ok()) {
      call.deferred.Resolve(env.Undefined());
      return;
    }
    Napi::Error error = Napi::Error::New(env, call.outcome.code + ": " + call.outcome.detail);
    error.Set("code", Napi::String::New(env, call.outcome.code));
    call.deferred.Reject(error.Value());
  }

  Napi::Value open(const Napi::CallbackInfo& info) {
    return post(info, std::make_shared<Call>(info.Env()), [](Session& session) { return session.open(); });
  }

  // Memory that JavaScript lends for a call.
  static std::vector<cuda::BufferCopy> copies_of(Napi::Value given, Call& call) {
    std::vector<cuda::BufferCopy> copies;
    if (!given.IsArray()) return copies;
    Napi::Array list = given.As<Napi::Array>();
    for (uint32_t i = 0; i < list.Length(); i++) {
      Napi::Object entry = list.Get(i).As<Napi::Object>();
      Napi::Uint8Array bytes = entry.Get("bytes").As<Napi::Uint8Array>();
      copies.push_back({entry.Get("buffer").ToNumber().Uint32Value(), bytes.Data(), bytes.ByteLength()});
      call.pinned.push_back(Napi::Persistent(bytes.As<Napi::Object>()));
    }
    return copies;
  }

  // load([{ ptx, entry }], [{ buffer, bytes }])
  Napi::Value load(const Napi::CallbackInfo& info) {
    std::vector<cuda::KernelText> kernels;
    Napi::Array given = info[0].As<Napi::Array>();
    for (uint32_t i = 0; i < given.Length(); i++) {
      Napi::Object kernel = given.Get(i).As<Napi::Object>();
      kernels.push_back({kernel.Get("ptx").As<Napi::String>(), kernel.Get("entry").As<Napi::String>()});
    }
    auto call = std::make_shared<Call>(info.Env());
    auto uploads = copies_of(info[1], *call);
    return post(info, call, [kernels, uploads](Session& session) { return session.load(kernels, uploads); });
  }

  Napi::Value allocate(const Napi::CallbackInfo& info) {
    Napi::Array given = info[0].As<Napi::Array>();
    std::vector<uint64_t> lengths;
    for (uint32_t i = 0; i < given.Length(); i++) {
      lengths.push_back(static_cast<uint64_t>(given.Get(i).ToNumber().DoubleValue()));
    }
    return post(info, std::make_shared<Call>(info.Env()),
                [lengths](Session& session) { return session.allocate(lengths); });
  }

  // upload(buffer, offset, bytes) and download(buffer, offset, bytes)
  Napi::Value copy(const Napi::CallbackInfo& info, bool to_device) {
    size_t buffer = info[0].ToNumber().Uint32Value();
    uint64_t offset = static_cast<uint64_t>(info[1].ToNumber().DoubleValue());
    Napi::Uint8Array bytes = info[2].As<Napi::Uint8Array>();
    uint8_t* data = bytes.Data();
    size_t length = bytes.ByteLength();
    auto call = std::make_shared<Call>(info.Env());
    call->pinned.push_back(Napi::Persistent(bytes.As<Napi::Object>()));
    return post(info, call, [=](Session& session) {
      return to_device ? session.upload(buffer, offset, data, length) : session.download(buffer, offset, data, length);
    });
  }

  Napi::Value upload(const Napi::CallbackInfo& info) { return copy(info, true); }
  Napi::Value download(const Napi::CallbackInfo& info) { return copy(info, false); }

  static LaunchOrder order_of(Napi::Object given) {
    LaunchOrder order;
    order.function = given.Get("kernel").ToNumber().Uint32Value();
    order.shared = given.Get("shared").ToNumber().Uint32Value();
    Napi::Array grid = given.Get("grid").As<Napi::Array>();
    Napi::Array block = given.Get("block").As<Napi::Array>();
    for (uint32_t i = 0; i < 3; i++) {
      order.grid[i] = grid.Get(i).ToNumber().Uint32Value();
      order.block[i] = block.Get(i).ToNumber().Uint32Value();
    }
    Napi::Array values = given.Get("arguments").As<Napi::Array>();
    for (uint32_t i = 0; i < values.Length(); i++) {
      cuda::LaunchArgument argument;
      Napi::Value value = values.Get(i);
      if (value.IsNumber()) {
        argument.buffer = value.ToNumber().Int32Value();
      } else {
        Napi::Uint8Array bytes = value.As<Napi::Uint8Array>();
        argument.bytes.assign(bytes.Data(), bytes.Data() + bytes.ByteLength());
      }
      order.arguments.push_back(std::move(argument));
    }
    return order;
  }

  // launch([{ kernel, grid, block, shared, arguments: [buffer number | bytes] }], timeout in ms, progress | undefined,
  //   [{ buffer, bytes }] | undefined)
  Napi::Value launch(const Napi::CallbackInfo& info) {
    Napi::Array given = info[0].As<Napi::Array>();
    std::vector<LaunchOrder> orders;
    for (uint32_t i = 0; i < given.Length(); i++) orders.push_back(order_of(given.Get(i).As<Napi::Object>()));
    uint64_t timeout = static_cast<uint64_t>(info[1].ToNumber().DoubleValue());
    auto call = std::make_shared<Call>(info.Env());
    if (info[2].IsFunction()) call->progress = Napi::Persistent(info[2].As<Napi::Function>());
    bool wanted = info[2].IsFunction();
    auto downloads = copies_of(info[3], *call);
    return post(info, call, [=](Session& session) {
      auto report = [&](size_t done) {
        if (!wanted) return;
        call->back.NonBlockingCall([call, done](Napi::Env at, Napi::Function) {
          if (!call->progress.IsEmpty()) call->progress.Call({Napi::Number::New(at, static_cast<double>(done))});
        });
      };
      return session.launch(orders, timeout, report, downloads);
    });
  }

  Napi::Value cancel(const Napi::CallbackInfo& info) {
    session_->cancel();
    return info.Env().Undefined();
  }

  Napi::Value close(const Napi::CallbackInfo& info) {
    return post(info, std::make_shared<Call>(info.Env()), [](Session& session) {
      session.close();
      return Outcome{};
    });
  }

  std::shared_ptr<Session> session_;
};

}  // namespace

void add_cuda_device(Napi::Env env, Napi::Object exports) {
  Napi::Object cuda = Napi::Object::New(env);
  cuda["devices"] = Napi::Function::New(env, list_devices);
  cuda["Session"] = SessionObject::define(env);
  exports["cuda"] = cuda;
}

}  // namespace ogpu
