/** The native modules: where they live and what they understand. */
import { agendaAbi } from "../../vm/interfaces/abi/agenda.ts";
import { clockAbi } from "../../vm/interfaces/abi/clock.ts";
import { governanceAbi } from "../../vm/interfaces/abi/governance.ts";
import { marketAbi } from "../../vm/interfaces/abi/market.ts";
import { pricingAbi } from "../../vm/interfaces/abi/pricing.ts";
import { programsAbi } from "../../vm/interfaces/abi/programs.ts";
import { providersAbi } from "../../vm/interfaces/abi/providers.ts";
import { slashingAbi } from "../../vm/interfaces/abi/slashing.ts";
import { stakingAbi } from "../../vm/interfaces/abi/staking.ts";
import { tokenAbi } from "../../vm/interfaces/abi/token.ts";
import { treasuryAbi } from "../../vm/interfaces/abi/treasury.ts";
import { trustLockAbi } from "../../vm/interfaces/abi/trust-lock.ts";
import { verificationAbi } from "../../vm/interfaces/abi/verification.ts";
import { verifiersAbi } from "../../vm/interfaces/abi/verifiers.ts";

type ModuleAddress = `0x${string}`;

interface Module<Abi> {
  readonly address: ModuleAddress;
  readonly abi: Abi;
}

/** For `getContract`, `watchContractEvent` and the like; `readModule` and `writeModule` know them by name. */
export interface OgpuModules {
  readonly token: Module<typeof tokenAbi>;
  readonly clock: Module<typeof clockAbi>;
  readonly staking: Module<typeof stakingAbi>;
  readonly slashing: Module<typeof slashingAbi>;
  readonly trustLock: Module<typeof trustLockAbi>;
  readonly providers: Module<typeof providersAbi>;
  readonly verifiers: Module<typeof verifiersAbi>;
  readonly governance: Module<typeof governanceAbi>;
  readonly treasury: Module<typeof treasuryAbi>;
  readonly programs: Module<typeof programsAbi>;
  readonly pricing: Module<typeof pricingAbi>;
  readonly verification: Module<typeof verificationAbi>;
  readonly market: Module<typeof marketAbi>;
  readonly agenda: Module<typeof agendaAbi>;
}

export type ModuleName = keyof OgpuModules;

/** "oGPUModule" and a number; a test holds them to what the chain has. */
function numbered(number: number): ModuleAddress {
  return `0x6f4750554d6f64756c65${number.toString(16).padStart(20, "0")}`;
}

export const ogpuModules: OgpuModules = {
  token: { address: numbered(1), abi: tokenAbi },
  clock: { address: numbered(2), abi: clockAbi },
  staking: { address: numbered(3), abi: stakingAbi },
  slashing: { address: numbered(4), abi: slashingAbi },
  trustLock: { address: numbered(5), abi: trustLockAbi },
  providers: { address: numbered(6), abi: providersAbi },
  verifiers: { address: numbered(7), abi: verifiersAbi },
  governance: { address: numbered(8), abi: governanceAbi },
  treasury: { address: numbered(9), abi: treasuryAbi },
  programs: { address: numbered(10), abi: programsAbi },
  pricing: { address: numbered(11), abi: pricingAbi },
  verification: { address: numbered(12), abi: verificationAbi },
  market: { address: numbered(13), abi: marketAbi },
  agenda: { address: numbered(14), abi: agendaAbi },
};
