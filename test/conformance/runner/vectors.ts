/**
 * Which of the public test files each suite reads, relative to the folder that holds them all. The one place
 * that `npm run conformance -- all <folder>` and CI take it from. A `*` stands for any part of a file's name.
 */
export interface VectorFiles {
  readonly suite: string;
  readonly paths: readonly string[];
}

export const VECTOR_FILES: readonly VectorFiles[] = [
  { suite: "rlp-tests", paths: ["codec/rlp.json", "codec/rlp-invalid.json"] },
  { suite: "transaction-tests", paths: ["codec/transaction-tests-cancun.json"] },
  { suite: "trie-tests", paths: ["codec/trie.json"] },
  { suite: "basic", paths: ["codec/basic.json"] },
  { suite: "ethers", paths: ["codec/ethers-*.json"] },
  { suite: "wycheproof", paths: ["crypto/wycheproof"] },
  { suite: "bls", paths: ["crypto/bls12-381-eth.json"] },
  { suite: "light-client", paths: ["consensus/lightclient-mbt-abstract.json"] },
  { suite: "state-tests", paths: ["state-tests"] },
  { suite: "execution-apis", paths: ["execution-apis/openrpc.json"] },
  { suite: "onnx-node", paths: ["onnx-node"] },
];
