#include "cpu-device.h"

#include <string.h>

#include "../hash/tile-addresses.h"
#include "worker-pool.h"

namespace ogpu {

namespace {

const Variant* variant_named(const std::string& name) {
#ifdef OGPU_HAS_X86_VARIANTS
  bool has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (name == fma_variant.name) return has_fma ? &fma_variant : nullptr;
  // The first processors with AVX-512 have no products of pairs, and slow down when it is used.
  bool has_avx512 = has_fma && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
  if (name == avx512_variant.name) return has_avx512 ? &avx512_variant : nullptr;
#endif
  return name == portable_variant.name ? &portable_variant : nullptr;
}

const KernelCode* code_named(const Variant& variant, const std::string& name) {
  for (size_t i = 0; i < variant.count; i++) {
    if (name == variant.kernels[i].name) return &variant.kernels[i];
  }
  return name == TILE_ADDRESSES.name ? &TILE_ADDRESSES : nullptr;
}

// What outlives the call: buffers stay referenced until the work is settled.
struct Task {
  explicit Task(Napi::Env env) : deferred(Napi::Promise::Deferred::New(env)) {}

  Napi::Promise::Deferred deferred;
  Napi::ThreadSafeFunction settle;
  Napi::FunctionReference progress;
  std::vector<Napi::ObjectReference> pinned;
  WorkOutcome outcome = WorkOutcome::done;
};

const char* text_of(WorkOutcome outcome) {
  if (outcome == WorkOutcome::done) return "done";
  return outcome == WorkOutcome::cancelled ? "cancelled" : "no memory";
}

class CpuDevice {
 public:
  explicit CpuDevice(Napi::Env) : pool_(std::thread::hardware_concurrency()) {}

  Napi::Value features(const Napi::CallbackInfo& info) {
    Napi::Object result = Napi::Object::New(info.Env());
    Napi::Array names = Napi::Array::New(info.Env());
    for (const char* name : {"avx512", "fma", "portable"}) {
      if (variant_named(name) != nullptr) names[names.Length()] = Napi::String::New(info.Env(), name);
    }
    result["variants"] = names;
    result["threads"] = Napi::Number::New(info.Env(), pool_.threads());
    return result;
  }

  // The names of the kernels and the sizes of their parameters.
  Napi::Value kernels(const Napi::CallbackInfo& info) {
    Napi::Object result = Napi::Object::New(info.Env());
    for (size_t i = 0; i < portable_variant.count; i++) {
      const KernelCode& code = portable_variant.kernels[i];
      Napi::Array sizes = Napi::Array::New(info.Env());
      for (const uint8_t* size = code.sizes; *size != 0; size++) sizes[sizes.Length()] = Napi::Number::New(info.Env(), *size);
      result[code.name] = sizes;
    }
    return result;
  }

  // run(variant, [{ kernel, grid, values: [bytes...], isBuffer: [...], chained, followers: [the same...] }...], threads,
  //   progress | undefined) -> { promise, cancel }
  Napi::Value run(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    const Variant* variant = variant_named(info[0].As<Napi::String>());
    if (variant == nullptr) throw Napi::Error::New(env, "this processor does not run these kernels");
    unsigned threads = info[2].ToNumber().Uint32Value();
    if (threads == 0 || threads > pool_.threads()) threads = pool_.threads();
    auto work = std::make_shared<Work>();
    auto task = std::make_shared<Task>(env);
    Napi::Array orders = info[1].As<Napi::Array>();
    if (orders.Length() == 0) throw Napi::Error::New(env, "there is nothing to run");
    work->stages.resize(orders.Length());
    for (uint32_t i = 0; i < orders.Length(); i++) {
      fill_stage(env, *variant, orders.Get(i).As<Napi::Object>(), threads, work->stages[i], *task);
    }
    if (info[3].IsFunction()) task->progress = Napi::Persistent(info[3].As<Napi::Function>());
    return start(env, work, task);
  }

 private:
  void fill_stage(Napi::Env env, const Variant& variant, Napi::Object order, unsigned threads, Stage& stage, Task& task) {
    bind(env, variant, order, threads, stage, task);
    Napi::Value followers = order.Get("followers");
    Napi::Array given = followers.IsArray() ? followers.As<Napi::Array>() : Napi::Array::New(env);
    stage.followers.resize(given.Length());
    for (uint32_t i = 0; i < given.Length(); i++) {
      BoundLaunch& follower = stage.followers[i];
      bind(env, variant, given.Get(i).As<Napi::Object>(), threads, follower, task);
      if (follower.code->range == nullptr) throw Napi::Error::New(env, "this kernel follows no other");
    }
    stage.pieces = stage.code->pieces(stage.launch);
  }

  void bind(Napi::Env env, const Variant& variant, Napi::Object order, unsigned threads, BoundLaunch& bound, Task& task) {
    bound.code = code_named(variant, order.Get("kernel").As<Napi::String>());
    if (bound.code == nullptr) throw Napi::Error::New(env, "no such kernel");
    Napi::Array grid = order.Get("grid").As<Napi::Array>();
    for (uint32_t i = 0; i < 3; i++) bound.launch.grid[i] = grid.Get(i).ToNumber().Uint32Value();
    bound.launch.threads = threads;
    bound.launch.chained = order.Get("chained").ToNumber().Uint32Value();
    Napi::Array given = order.Get("values").As<Napi::Array>();
    Napi::Array buffers = order.Get("isBuffer").As<Napi::Array>();
    size_t count = strlen(reinterpret_cast<const char*>(bound.code->sizes));
    if (given.Length() != count) throw Napi::Error::New(env, "the kernel takes another number of arguments");
    bound.values.resize(count);
    for (uint32_t i = 0; i < count; i++) {
      Napi::Uint8Array bytes = given.Get(i).As<Napi::Uint8Array>();
      if (buffers.Get(i).ToBoolean()) {
        bound.values[i] = reinterpret_cast<uint64_t>(bytes.Data());
        task.pinned.push_back(Napi::Persistent(bytes.As<Napi::Object>()));
      } else {
        if (bytes.ByteLength() != bound.code->sizes[i]) throw Napi::Error::New(env, "an argument has another size");
        memcpy(&bound.values[i], bytes.Data(), bytes.ByteLength());
      }
    }
    for (uint64_t& value : bound.values) bound.arguments.push_back(&value);
    bound.launch.arguments = bound.arguments.data();
  }

  Napi::Value start(Napi::Env env, const std::shared_ptr<Work>& work, const std::shared_ptr<Task>& task) {
    Napi::Function nothing = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
    task->settle = Napi::ThreadSafeFunction::New(env, nothing, "ogpu cpu launch", 0, 1);
    if (!task->progress.IsEmpty()) {
      work->progress = [task](double launches) {
        task->settle.NonBlockingCall([task, launches](Napi::Env at, Napi::Function) {
          task->progress.Call({Napi::Number::New(at, launches)});
        });
      };
    }
    work->finished = [task](WorkOutcome outcome) {
      task->outcome = outcome;
      task->settle.NonBlockingCall([task](Napi::Env at, Napi::Function) {
        task->pinned.clear();
        task->progress.Reset();
        task->deferred.Resolve(Napi::String::New(at, text_of(task->outcome)));
      });
      task->settle.Release();
    };
    Napi::Object handle = Napi::Object::New(env);
    handle["promise"] = task->deferred.Promise();
    std::weak_ptr<Work> weak = work;
    handle["cancel"] = Napi::Function::New(env, [weak](const Napi::CallbackInfo&) {
      if (auto strong = weak.lock()) strong->cancelled = true;
    });
    if (!pool_.submit(work)) {
      task->pinned.clear();
      task->progress.Reset();
      task->settle.Release();
      throw Napi::Error::New(env, "too many launches are waiting");
    }
    return handle;
  }

  WorkerPool pool_;
};

}  // namespace

void add_cpu_device(Napi::Env env, Napi::Object exports) {
  // One per environment: worker threads of Node.js load the addon again, and end on their own.
  auto* device = new CpuDevice(env);
  env.AddCleanupHook([device] { delete device; });
  Napi::Object cpu = Napi::Object::New(env);
  cpu["features"] = Napi::Function::New(env, [device](const Napi::CallbackInfo& info) { return device->features(info); });
  cpu["kernels"] = Napi::Function::New(env, [device](const Napi::CallbackInfo& info) { return device->kernels(info); });
  cpu["run"] = Napi::Function::New(env, [device](const Napi::CallbackInfo& info) { return device->run(info); });
  exports["cpu"] = cpu;
}

}  // namespace ogpu
