import { measureAccepts } from "./accepts.ts";
import { measureAcceptsAndRuns } from "./accepts-and-runs.ts";
import type { Bench } from "../measure/bench.ts";
import { measureBurst } from "./burst.ts";
import { measureDisk } from "./disk.ts";
import { measureFloods } from "./floods.ts";
import { measureLatency } from "./latency.ts";
import { measureMatching } from "./matching.ts";
import { measureMemory } from "./memory.ts";
import { measurePeers } from "./peers.ts";
import type { Row } from "../measure/row.ts";
import { measureRuns } from "./runs.ts";
import { measureStartLatency } from "./start-latency.ts";
import { measureStartUp } from "./start-up.ts";

/** By the names that `--only` and `--profile` take, in the order of the table. */
export const allRows: Record<string, (bench: Bench) => Promise<Row[]>> = {
  accepts: (bench) => measureAccepts(bench, "small"),
  "accepts-push": (bench) => measureAccepts(bench, "push"),
  "accepts-github": (bench) => measureAccepts(bench, "github"),
  "accepts-and-runs": measureAcceptsAndRuns,
  burst: measureBurst,
  latency: measureLatency,
  "start-latency": measureStartLatency,
  floods: measureFloods,
  runs: measureRuns,
  matching: measureMatching,
  disk: measureDisk,
  memory: measureMemory,
  "start-up": measureStartUp,
  "node-red": (bench) => measurePeers(bench, "node-red"),
  restate: (bench) => measurePeers(bench, "restate"),
  n8n: (bench) => measurePeers(bench, "n8n"),
};
