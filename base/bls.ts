/** The node's BLS engine: native where the binary loads. Browsers import bls-portable.ts instead. */
import { nativeBls } from "./bls-native.ts";
import { portableBls } from "./bls-portable.ts";
import type { Bls } from "./bls-types.ts";

export const bls: Bls = nativeBls ?? portableBls;
