import type { CommandGroup } from "../command.ts";
import { jobCancel } from "./job-cancel.ts";
import { jobDemand } from "./job-demand.ts";
import { jobHolder } from "./job-holder.ts";
import { jobList } from "./job-list.ts";
import { jobQuote } from "./job-quote.ts";
import { jobResult } from "./job-result.ts";
import { jobSubmit } from "./job-submit.ts";
import { jobWatch } from "./job-watch.ts";

export const job: CommandGroup = {
  name: "job",
  summary: "Have work computed and checked: submit, quote, watch, result, demand, cancel, list",
  commands: [jobSubmit, jobQuote, jobWatch, jobResult, jobDemand, jobHolder, jobCancel, jobList],
};
