/** How the pixels of an image become numbers, as somebody writes it. Pure. */
import type { ImageOptions } from "../../../../compute/onnx/files/image-tensor.ts";

export interface ImageWords {
  readonly layout: string;
  readonly scale: string;
  readonly mean: string;
  readonly std: string;
}

export const USUAL_IMAGE: ImageWords = { layout: "", scale: "", mean: "0", std: "1" };

/** Numbers and fractions with commas between them; `undefined` for anything else. */
function numbersOf(text: string): readonly number[] | undefined {
  const list = text.split(",").map((part) => {
    const [above = "", below = "1", ...more] = part.trim().split("/");
    return above === "" || below === "" || more.length > 0 ? Number.NaN : Number(above) / Number(below);
  });
  return list.every(Number.isFinite) && [1, 3, 4].includes(list.length) ? list : undefined;
}

/** The options, or what is wrong with the words. */
export function imageOptionsOf({ layout, scale, mean, std }: ImageWords): ImageOptions | string {
  const [factor, means, deviations] = [scale.trim() === "" ? [] : numbersOf(scale), numbersOf(mean), numbersOf(std)];
  if (factor === undefined || factor.length > 1 || factor[0] === 0) return "Scale is one number, as in 1/255.";
  if (means === undefined) return "Mean is one number, or one for each channel, with commas between.";
  if (deviations === undefined || deviations.includes(0)) return "Deviation is like mean, and never zero.";
  return {
    layout: layout === "nchw" || layout === "nhwc" ? layout : undefined,
    ...{ scale: factor[0], mean: means, std: deviations },
  };
}
