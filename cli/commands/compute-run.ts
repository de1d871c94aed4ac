import { type Command, defineCommand } from "../command.ts";
import { usageError } from "../failure.ts";
import { runKernel } from "./compute-run-kernel.ts";
import { runModel } from "./compute-run-model.ts";

const HINT = "See: ogpu compute run --help";

export const computeRun: Command = defineCommand({
  name: "run",
  summary: "Run an ONNX model, or one kernel of a PTX file, on this machine, bit for bit as any other would",
  details:
    "A model: each --input is a file, with the input's name before it when the model has several (x=image.png). npy and " +
    "json hold tensors; a PNG image of 8 bits becomes a tensor of 1, 3 or 4 channels, each element (byte * scale - mean) / " +
    "std. Where --out names no file the outputs are only described. docs/compute.md has it all.\n" +
    "A kernel (--ptx): arguments come in the order of its parameters, numbers as i32:5 or f32:1.5, buffers as name=in:file " +
    "or name=zero:bytes. Each buffer that the kernel writes needs a tile, which says what a thread block owns: " +
    "name=run:bytes, name=rows:pitch,width,rows,plane or name=whole (docs/spec/job-program.md).\n" +
    "Exit code 1 when the program traps, or when a file does not fit the model.",
  args: [{ name: "model.onnx", description: "the model, unless --ptx names a kernel", optional: true }],
  options: {
    input: { type: "list", placeholder: "[name=]file", description: "npy, json or png for an input of the model" },
    out: {
      type: "list",
      placeholder: "[name=]file",
      description: "where an output goes: npy, json, png (a kernel's: raw)",
    },
    device: { type: "string", placeholder: "device", description: "cpu, wasm or cuda:N", default: "cpu" },
    cudaLibrary: { type: "string", placeholder: "file", description: "another driver library than libcuda.so.1" },
    size: { type: "list", placeholder: "name=number", description: "a size that the model only names" },
    layout: {
      ...{ type: "string", placeholder: "layout", choices: ["nchw", "nhwc"] },
      description: "where an image's channels are; told from the model's shape if not given",
    },
    scale: { type: "string", placeholder: "number", description: "of an image's bytes; 1/255 for floats, else 1" },
    mean: {
      type: "string",
      placeholder: "numbers",
      description: "of an image's channels, after scaling",
      default: "0",
    },
    std: { type: "string", placeholder: "numbers", description: "of an image's channels, after scaling", default: "1" },
    labels: { type: "string", placeholder: "file", description: "names of the classes, one in each line" },
    commit: { type: "flag", description: "also commit to every tile of every launch of the model" },
    ptx: { type: "string", placeholder: "file", description: "the PTX text of a kernel" },
    entry: { type: "string", placeholder: "name", description: "the kernel" },
    grid: { type: "string", placeholder: "XxYxZ", description: "thread blocks", default: "1" },
    block: { type: "string", placeholder: "XxYxZ", description: "threads of a block", default: "1" },
    shared: { type: "integer", placeholder: "bytes", description: "dynamic shared memory", default: 0 },
    arg: { type: "list", placeholder: "value", description: "the kernel's next argument" },
    tile: { type: "list", placeholder: "name=tile", description: "what a block owns of a buffer" },
    fuel: { type: "integer", placeholder: "units", description: "compute units of a tile", default: 2 ** 36 },
    bytes: { type: "integer", placeholder: "bytes", description: "bytes that a tile may touch", default: 2 ** 32 },
    checked: { type: "flag", description: "interpret the kernel with all checks, races included; slow" },
  },
  examples: [
    {
      command: "ogpu compute run resnet.onnx --input photo.png --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225",
      description: "the five classes that the model believes in most",
    },
    {
      command: "ogpu compute run model.onnx --input tokens=x.npy --input mask=m.json --out logits=y.npy",
      description: "two inputs, one output kept",
    },
    {
      command:
        "ogpu compute run --ptx saxpy.ptx --entry saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2 " +
        "--arg x=in:x.bin --arg y=in:y.bin --tile y=run:1024 --out y=result.bin",
      description: "y = 2x + y for 1,000 floats, 256 per block",
    },
  ],
  async run({ args: [model], options }, context) {
    const { ptx, entry } = options;
    if ((model === undefined) === (ptx === undefined)) {
      throw usageError("say what to run: either a model or --ptx with --entry", HINT);
    }
    if (model !== undefined) return runModel(model, options, context);
    if (ptx === undefined || entry === undefined) throw usageError("--ptx needs --entry, the kernel's name", HINT);
    if (options.input.length > 0) throw usageError("--input is for models: a kernel takes --arg name=in:file", HINT);
    if (options.device !== "cpu") throw usageError("--device is for models: a kernel runs in WebAssembly", HINT);
    return runKernel({ ...options, ptx, entry }, context);
  },
});
