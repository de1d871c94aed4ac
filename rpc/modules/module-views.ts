/** What native modules say at a block: their view functions, called without the EVM. */
import type { Abi, ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType } from "viem";
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { BlockEnvironment } from "../../vm/execution/environment.ts";
import type { NativeModule } from "../../vm/modules/module.ts";
import type { ModuleCall } from "../../vm/modules/module-call.ts";
import { readOnlyCall } from "../../vm/modules/read-only-call.ts";
import { runModule } from "../../vm/modules/run-module.ts";
import { modulesOfSpec } from "../../vm/rules-of-spec.ts";
import type { Address } from "../../vm/state/account.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import { WorkingState } from "../../vm/state/working-state.ts";
import { type BlockReference, requireBlock } from "../block-reference.ts";
import { callEnvironment } from "../call-environment.ts";
import { revertMessage } from "../call-request.ts";
import type { ChainReads } from "../chain-view.ts";
import { EXECUTION_REVERTED, RpcError } from "../rpc-error.ts";
import { outputJson } from "./abi-json.ts";

/** Of one view: a page of a hundred entries takes far less. */
const VIEW_GAS = 50_000_000n;
const NOBODY: Address = "0x0000000000000000000000000000000000000000";

const modulesOf = new WeakMap<ChainSpec, ReadonlyMap<Address, NativeModule>>();

type ViewName<A extends Abi> = ContractFunctionName<A, "view" | "pure">;
type ViewArgs<A extends Abi, Name extends ViewName<A>> = ContractFunctionArgs<A, "view" | "pure", Name>;

export class ModuleViews {
  private readonly modules: ReadonlyMap<Address, NativeModule>;
  private readonly state: StateReader;
  private readonly environment: BlockEnvironment;

  constructor(chain: ChainReads, reference: BlockReference) {
    const block = requireBlock(chain, reference);
    this.state = chain.stateAt(Number(block.header.number));
    this.environment = callEnvironment(chain, block);
    let modules = modulesOf.get(chain.spec);
    if (modules === undefined) {
      modules = new Map(modulesOfSpec(chain.spec).map((module) => [module.address, module]));
      modulesOf.set(chain.spec, modules);
    }
    this.modules = modules;
  }

  /** What the module at the address answers. Throws what a call of it would. */
  read<const A extends Abi, Name extends ViewName<A>>(
    address: Address,
    abi: A,
    functionName: Name,
    args: ViewArgs<A, Name>,
  ): ContractFunctionReturnType<A, "view" | "pure", Name> {
    const module = this.modules.get(address);
    assert(module !== undefined, "every module of the chain is there");
    const data = hexToBytes(
      encodeFunctionData({ abi: abi as Abi, functionName: functionName as string, args: args as never }),
    );
    const message = { caller: NOBODY, value: 0n, data, gasLimit: VIEW_GAS, isStatic: true };
    const { succeeded, output } = runModule(module, message, new WorkingState(this.state), this.environment);
    if (!succeeded) throw new RpcError(EXECUTION_REVERTED, revertMessage(output), bytesToHex(output));
    const result = decodeFunctionResult({
      abi: abi as Abi,
      functionName: functionName as string,
      data: bytesToHex(output),
    });
    return result as ContractFunctionReturnType<A, "view" | "pure", Name>;
  }

  /** The same as JSON. */
  json<const A extends Abi, Name extends ViewName<A>>(
    address: Address,
    abi: A,
    functionName: Name,
    args: ViewArgs<A, Name>,
  ): unknown {
    return outputJson(abi, functionName, this.read(address, abi, functionName, args));
  }

  /** For what modules do not tell by their ABI: reads at this block, in the module's account. */
  reading(address: Address): ModuleCall {
    return readOnlyCall(address, this.state);
  }
}
