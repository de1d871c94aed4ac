/**
 * Curves that the precompiles compute on, in WebAssembly: in JavaScript they are so slow that one block of pairings
 * takes minutes. The encodings of points, and what is wrong with a wrong one, are @ethereumjs/evm's.
 */
import { type EVMBLSInterface, type EVMBN254Interface, MCLBLS, RustBN254 } from "@ethereumjs/evm";
import * as mcl from "mcl-wasm";
import { initRustBN } from "rustbn-wasm";

export const bn254: EVMBN254Interface = new RustBN254(await initRustBN());

await mcl.init(mcl.BLS12_381);
export const bls: EVMBLSInterface = new MCLBLS(mcl);
// Chooses the map to the curve of RFC 9380, and checks of the subgroup.
bls.init?.();
