/** What `import ... from "opengpu/client"` gives. Inside the project, files are imported by themselves. */
// biome-ignore-all lint/performance/noBarrelFile: the entry of a package names what belongs to it
export type * from "./answers.ts";
export {
  type MarketActions,
  marketActions,
  type OutputOptions,
  type TaskQuote,
  type WatchOptions,
} from "./market-actions.ts";
export {
  actorName,
  isOver,
  JOB_ACTORS,
  JOB_STATUSES,
  type JobActor,
  type JobStatus,
  type MarketJob,
  type MarketReceipt,
  type MarketSource,
  type ProgramSummary,
  statusName,
} from "./market-answers.ts";
export {
  type JobCallback,
  type JobTerms,
  type MarketWalletActions,
  marketWalletActions,
  type SourceTerms,
} from "./market-wallet-actions.ts";
export { type ModuleName, type OgpuModules, ogpuModules } from "./modules.ts";
export { type OgpuActions, ogpuActions } from "./ogpu-actions.ts";
export { type OgpuWalletActions, ogpuWalletActions, VOTE_CHOICES, type VoteChoice } from "./ogpu-wallet-actions.ts";
