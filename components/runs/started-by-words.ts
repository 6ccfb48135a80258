import type { StartedBy } from "../../server/contract/run.ts";

export const startedByWords: Record<StartedBy, string> = {
  webhook: "webhook",
  form: "a person, in the app",
  api: "the API",
  cli: "the command line",
  replay: "replay",
};
