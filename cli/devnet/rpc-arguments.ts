/** Who may ask the validators of a devnet, and how much: as each of them is told. */

export interface RpcRights {
  readonly rpcCors: readonly string[];
  readonly rpcHosts: readonly string[];
  readonly rpcMethods: readonly string[];
  readonly rpcLimit: readonly string[];
}

/** Each with its value in one word: methods that are taken away begin with a dash, as an option does. */
export function rpcArguments({ rpcCors, rpcHosts, rpcMethods, rpcLimit }: RpcRights): readonly string[] {
  return [
    ...rpcCors.map((origins) => `--rpc-cors=${origins}`),
    ...rpcHosts.map((names) => `--rpc-hosts=${names}`),
    ...rpcMethods.map((names) => `--rpc-methods=${names}`),
    ...rpcLimit.map((limits) => `--rpc-limit=${limits}`),
  ];
}
