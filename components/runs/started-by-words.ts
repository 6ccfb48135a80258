import type { StartedBy } from "../../server/contract/run.ts";

export const startedByWords: Record<StartedBy, string> = {
  webhook: "webhook",
  form: "app",
  api: "API",
  cli: "command line",
  replay: "replay",
};
