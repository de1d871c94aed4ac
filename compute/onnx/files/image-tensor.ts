/** Pixels as tensors and back: channels first (nchw) or last (nhwc), scaled as the model was trained. */
import { type ElementType, isFloating } from "../element-types.ts";
import { countOf, type Shape, type Tensor, tensorOf } from "../tensor.ts";
import { readElements } from "./elements.ts";
import { reject } from "./errors.ts";

export type Layout = "nchw" | "nhwc";

export interface ImageOptions {
  /** Told from the shape when not given. */
  readonly layout: Layout | undefined;
  /** element = (byte * scale - mean) / std; 1/255 for floats and 1 for integers when not given. */
  readonly scale: number | undefined;
  /** One for all channels, or one for each. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/** What the model says of an input: names and `undefined` stand for sizes that are free. */
export interface WantedTensor {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly (number | string | undefined)[];
}

/** Four bytes for each pixel: red, green, blue and alpha, row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

interface Places {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  readonly layout: Layout;
}

/** Grey as ITU-R BT.601 weighs the colours, to the nearest whole number. */
function greyOf(red: number, green: number, blue: number): number {
  return Math.floor((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

function layoutOf(shape: WantedTensor["shape"], given: Layout | undefined): Layout {
  if (given !== undefined || shape.length < 3) return given ?? "nchw";
  const isChannels = (size: number | string | undefined): boolean => size === 1 || size === 3 || size === 4;
  return isChannels(shape.at(-1)) && !isChannels(shape.at(-3)) ? "nhwc" : "nchw";
}

/** The shape of the tensor: free sizes are the image's, of the channels 3. */
export function imageTensor({ width, height, data }: Pixels, wanted: WantedTensor, options: ImageOptions): Tensor {
  const { shape, type } = wanted;
  const layout = layoutOf(shape, options.layout);
  if (shape.length < 2 || shape.length > 4) {
    return reject("TENSOR_MISMATCH", `input ${wanted.name} wants ${shape.length} dimensions: no image fits`);
  }
  const channelsAt = shape.length === 2 ? undefined : layout === "nchw" ? shape.length - 3 : shape.length - 1;
  const free = channelsAt === undefined ? 1 : shape[channelsAt];
  const channels = typeof free === "number" ? free : 3;
  if (![1, 3, 4].includes(channels)) {
    const hint = "With --layout nhwc the channels come last.";
    return reject("TENSOR_MISMATCH", `input ${wanted.name} wants ${channels} channels; an image has 1, 3 or 4`, hint);
  }
  const places = { channels, height, width, layout };
  const values = pixelValues(data, places, isFloating(type), options);
  return tensorOf(type, shapeOf(places, shape.length), values);
}

function shapeOf({ channels, height, width, layout }: Places, rank: number): Shape {
  if (rank === 2) return [height, width];
  const image = layout === "nchw" ? [channels, height, width] : [height, width, channels];
  return rank === 4 ? [1, ...image] : image;
}

function positionOf({ channels, height, width, layout }: Places, channel: number, pixel: number): number {
  return layout === "nchw" ? channel * height * width + pixel : pixel * channels + channel;
}

function pixelValues(data: Uint8Array, places: Places, floating: boolean, options: ImageOptions): readonly number[] {
  const { channels, height, width } = places;
  const scale = options.scale ?? (floating ? 1 / 255 : 1);
  const values = new Array<number>(channels * height * width).fill(0);
  for (let pixel = 0; pixel < height * width; pixel++) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(4 * pixel, 4 * pixel + 4);
    const parts = channels === 1 ? [greyOf(red, green, blue)] : [red, green, blue, alpha];
    for (let channel = 0; channel < channels; channel++) {
      const value = ((parts[channel] as number) * scale - at(options.mean, channel, 0)) / at(options.std, channel, 1);
      values[positionOf(places, channel, pixel)] = floating ? value : Math.round(value);
    }
  }
  return values;
}

function at(list: readonly number[], channel: number, otherwise: number): number {
  return list[list.length === 1 ? 0 : channel] ?? otherwise;
}

/** By the inverse of what `imageTensor` does; what lies outside is cut. */
export function tensorPixels(tensor: Tensor, options: ImageOptions): Pixels {
  const { shape, type } = tensor;
  const places = imagePlaces(shape, options.layout);
  const { channels, height, width } = places;
  const scale = options.scale ?? (isFloating(type) ? 1 / 255 : type === "bool" ? 1 / 255 : 1);
  const elements = readElements(tensor);
  const data = new Uint8ClampedArray(4 * width * height);
  for (let pixel = 0; pixel < height * width; pixel++) {
    const parts = Array.from({ length: channels }, (_, channel) => {
      const value = Number(elements[positionOf(places, channel, pixel)]);
      return Math.round((value * at(options.std, channel, 1) + at(options.mean, channel, 0)) / scale);
    });
    const [red = 0, green = red, blue = red, alpha = 255] = parts;
    // The array clamps to 0..255, and takes NaN for 0.
    data.set([red, green, blue, alpha], 4 * pixel);
  }
  return { width, height, data: new Uint8Array(data.buffer) };
}

function imagePlaces(shape: Shape, given: Layout | undefined): Places {
  const sizes = shape.length === 4 && shape[0] === 1 ? shape.slice(1) : shape;
  const layout = layoutOf(sizes, given);
  const [a = 1, b = 1, c = 1] = sizes;
  const places =
    sizes.length === 2
      ? { channels: 1, height: a, width: b, layout }
      : layout === "nchw"
        ? { channels: a, height: b, width: c, layout }
        : { channels: c, height: a, width: b, layout };
  if (sizes.length < 2 || sizes.length > 3 || ![1, 3, 4].includes(places.channels) || countOf(shape) === 0) {
    return reject("TENSOR_MISMATCH", `a tensor of shape [${shape.join(", ")}] is no image`, "Write it as npy or json.");
  }
  return places;
}
