/**
 * Verification of a KZG opening (EIP-4844's verify_kzg_proof), which the point evaluation precompile needs:
 * e(commitment - y*G1, G2) = e(proof, tau*G2 - z*G2). One point of the trusted setup is enough for that.
 */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bytesToBigint, bytesToHex } from "../../base/bytes.ts";

/** tau*G2 of Ethereum's KZG ceremony: the second element of g2_monomial in its trusted setup. */
const TAU_G2 =
  "b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72" +
  "185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2";

const G1 = bls12_381.G1.Point;
const G2 = bls12_381.G2.Point;
const { Fr, Fp12 } = bls12_381.fields;

/** Arguments that are no points or no field elements are refused as the EVM's KZG library would name them. */
function badArguments(what: string): never {
  throw new Error(`C_KZG_BADARGS: ${what}`);
}

function readPoint(bytes: Uint8Array, what: string): InstanceType<typeof G1> {
  try {
    const point = G1.fromHex(bytesToHex(bytes).slice(2));
    point.assertValidity();
    return point;
  } catch {
    // The point at infinity is a valid commitment and a valid proof, but no valid key, so noble refuses it.
    if (bytes[0] === 0xc0 && bytes.subarray(1).every((byte) => byte === 0)) return G1.ZERO;
    return badArguments(what);
  }
}

function readScalar(bytes: Uint8Array, what: string): bigint {
  const value = bytesToBigint(bytes);
  return value < Fr.ORDER ? value : badArguments(what);
}

export function verifyKzgProof(commitment: Uint8Array, z: Uint8Array, y: Uint8Array, proof: Uint8Array): boolean {
  const commitmentPoint = readPoint(commitment, "commitment");
  const proofPoint = readPoint(proof, "proof");
  const zScalar = readScalar(z, "z");
  const yScalar = readScalar(y, "y");
  const left = commitmentPoint.subtract(G1.BASE.multiplyUnsafe(yScalar));
  const right = G2.fromHex(TAU_G2).subtract(G2.BASE.multiplyUnsafe(zScalar));
  // e(left, G2) * e(-proof, right) = 1; a pairing with infinity is 1.
  const pairs = [
    { g1: left, g2: G2.BASE },
    { g1: proofPoint.negate(), g2: right },
  ].filter(({ g1, g2 }) => !g1.is0() && !g2.is0());
  return Fp12.eql(bls12_381.pairingBatch(pairs), Fp12.ONE);
}
