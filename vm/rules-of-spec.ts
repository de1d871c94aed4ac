import type { ChainSpec } from "../genesis/chain-spec.ts";
import { waitsOf } from "../genesis/verify-parameters.ts";
import type { ExecutionRules } from "./execution/rules.ts";
import { type AgendaHandler, createAgendaModule } from "./modules/agenda/agenda.ts";
import { createClockModule } from "./modules/clock/clock.ts";
import { createDutyRules } from "./modules/duties/duties.ts";
import { governanceAgenda } from "./modules/governance/decide.ts";
import { createGovernanceModule } from "./modules/governance/governance.ts";
import { KNOWN_UPGRADES } from "./modules/governance/known-upgrades.ts";
import { marketAgenda } from "./modules/market/decided.ts";
import { createMarketModule } from "./modules/market/market.ts";
import type { MarketPorts } from "./modules/market/ports.ts";
import type { NativeModule } from "./modules/module.ts";
import { ParameterStore } from "./modules/parameter-store.ts";
import { createPricingModule } from "./modules/pricing/pricing.ts";
import { createProgramsModule } from "./modules/programs/programs.ts";
import { createProvidersModule } from "./modules/providers/providers.ts";
import { createSlashingModule } from "./modules/slashing/slashing.ts";
import { createStakingModule } from "./modules/staking/staking.ts";
import { createTokenModule } from "./modules/token/token.ts";
import { createTreasuryModule } from "./modules/treasury/treasury.ts";
import { createTrustLockModule } from "./modules/trust-lock/trust-lock.ts";
import { VERIFICATION_WORK } from "./modules/verification/advance.ts";
import { beginRound } from "./modules/verification/begin.ts";
import { takeDecided } from "./modules/verification/outbox.ts";
import { refereeAgenda } from "./modules/verification/referee.ts";
import { createVerificationModule } from "./modules/verification/verification.ts";
import { assuranceOf } from "./modules/verification/views.ts";
import { createVerifiersModule } from "./modules/verifiers/verifiers.ts";

/** The rules by which the chain of this spec executes, up to the first upgrade that is not known. */
export function rulesOfSpec(spec: ChainSpec, knownUpgrades: readonly string[] = KNOWN_UPGRADES): ExecutionRules {
  return {
    chainId: spec.chainId,
    fork: spec.fork,
    allowUnprotected: spec.block.allowUnprotected,
    maxTransactionBytes: spec.block.maxTransactionBytes,
    modules: new Map(modulesOfSpec(spec, knownUpgrades).map((module) => [module.address, module])),
    duties: createDutyRules(new ParameterStore(spec.modules)),
  };
}

/** Every native module, in the order in which they end a block. */
export function modulesOfSpec(
  spec: ChainSpec,
  knownUpgrades: readonly string[] = KNOWN_UPGRADES,
): readonly NativeModule[] {
  const parameters = new ParameterStore(spec.modules);
  const { token } = spec.modules;
  return [
    createClockModule(spec.consensus.heartbeatMilliseconds),
    createAgendaModule(parameters, agendaOf(spec)),
    createGovernanceModule({ parameters, waits: waitsOf(spec), knownUpgrades }),
    // Before staking, which forgets who signed when it has rewarded them.
    createSlashingModule({ parameters, chainId: spec.chainId, capDivisor: spec.consensus.weightCapDivisor }),
    createStakingModule({
      parameters,
      token,
      validators: spec.validators,
      capDivisor: spec.consensus.weightCapDivisor,
    }),
    createTrustLockModule(parameters),
    createProvidersModule(parameters),
    createVerifiersModule(parameters, spec.verifiers),
    createTreasuryModule(parameters),
    createProgramsModule(),
    createPricingModule(parameters),
    createVerificationModule(parameters),
    // After verification, whose verdicts it takes out when a block ends.
    createMarketModule(parameters, marketPorts(spec)),
    // Its totals are of what all others have minted and burned.
    createTokenModule(token),
  ];
}

/** What modules do when it is due. */
function agendaOf(spec: ChainSpec): readonly AgendaHandler[] {
  return [
    ...VERIFICATION_WORK,
    ...refereeAgenda,
    ...marketAgenda(marketPorts(spec)),
    ...governanceAgenda(waitsOf(spec)),
  ];
}

function marketPorts({ modules }: ChainSpec): MarketPorts {
  return { verification: { beginRound, takeDecided, assuranceOf }, token: modules.token };
}
