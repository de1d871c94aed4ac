/** Which tests run when, and with whom. The settings of vitest and the rules of the tree read it. */

/**
 * Minutes of starting programs, killing them and waiting for them, and of long random histories: `npm run test:slow`,
 * which CI runs too.
 */
export const SLOW: readonly string[] = [
  "test/chain/keys/keystores.test.ts",
  "test/chain/light-client/running-node.test.ts",
  "test/chain/network/hostile-peers.test.ts",
  "test/chain/network/network.test.ts",
  "test/chain/runtime/node.test.ts",
  "test/chain/runtime/upgrade.test.ts",
  "test/chain/store/crash.test.ts",
  "test/chain/wal/crash.test.ts",
  "test/cli/audit.test.ts",
  "test/cli/chain-commands.test.ts",
  "test/cli/compute-run-model.test.ts",
  "test/cli/devnet.test.ts",
  "test/cli/evidence.test.ts",
  "test/cli/init.test.ts",
  "test/cli/keys.test.ts",
  "test/cli/network.test.ts",
  "test/cli/validator.test.ts",
  "test/compute/agent/blobs/blob-service.test.ts",
  "test/compute/agent/blobs/crash.test.ts",
  "test/compute/agent/queue/queue.test.ts",
  "test/compute/device/chains.test.ts",
  "test/compute/device/cpu-device.test.ts",
  "test/compute/device/cuda-device.test.ts",
  "test/compute/device/cuda-ptx.test.ts",
  "test/compute/examples/compile.test.ts",
  "test/compute/examples/examples.test.ts",
  "test/compute/kernels/compile.test.ts",
  "test/compute/onnx/kernels.test.ts",
  "test/compute/ptx/kernels.test.ts",
  "test/dashboard/browser/dashboard.test.ts",
  "test/economy/history.test.ts",
  "test/processes/**/*.test.ts",
  "test/rpc/client/package.test.ts",
  "test/rpc/clients/**/*.test.ts",
  "test/rpc/fuzz/fuzz.test.ts",
  "test/rpc/open-rpc.test.ts",
  "test/rpc/thread/rpc-host.test.ts",
  "test/scripts/run.test.ts",
  "test/scripts/setup.test.ts",
  "test/sim/hundred-validators.test.ts",
  "test/sim/seeds.test.ts",
  "test/sim/write-boundaries.test.ts",
  "test/vm/evm/precompiles.test.ts",
  "test/vm/modules/governance-history.test.ts",
  "test/vm/modules/held-funds.test.ts",
  "test/vm/modules/market-long-history.test.ts",
  "test/vm/modules/staking-model.test.ts",
  "test/vm/modules/verification-history.test.ts",
];

/**
 * What was waited for in vain is tried once more: a machine that is shared with others may stand still for minutes. What is
 * wrong is wrong at once.
 */
export const LATE: { readonly count: number; readonly condition: RegExp } = {
  count: 1,
  condition:
    /waited \d+ s in vain|Timeout \d+ms exceeded|timed out in \d+ms|did not succeed in time|a call gets \d+ ms/,
};

/**
 * What replaces a module needs a process of its own: vi.mock does nothing where another file has loaded it. All others share
 * the processes and leave nothing behind, no timer, no handle, no global that was changed: with a process for each file
 * most of the time went into loading modules (277 s against 164 s, measured). The rules of the tree (test/tidy) know this list.
 */
export const ALONE: readonly string[] = ["test/dashboard/portable-evaluate.test.ts"];
