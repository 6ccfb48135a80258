import { agentContract } from "./agent-contract.ts";
import { alertContract } from "./alert-contract.ts";
import { deliveryContract } from "./delivery-contract.ts";
import { driftContract } from "./drift-contract.ts";
import { engineContract } from "./engine-contract.ts";
import { feedContract } from "./feed-contract.ts";
import type { OpenStore } from "./factories.ts";
import { heldContract } from "./held-contract.ts";
import { keyContract } from "./key-contract.ts";
import { childRunsContract } from "./child-runs-contract.ts";
import { eventWaitsContract } from "./event-waits-contract.ts";
import { keySlotsContract } from "./key-slots-contract.ts";
import { openRunContract } from "./open-run-contract.ts";
import { peopleContract } from "./people-contract.ts";
import { presetContract } from "./preset-contract.ts";
import { queueCapacityContract } from "./queue-capacity-contract.ts";
import { replayContract } from "./replay-contract.ts";
import { resumeContract } from "./resume-contract.ts";
import { runContract } from "./run-contract.ts";
import { runStateContract } from "./run-state-contract.ts";
import { switchContract } from "./switch-contract.ts";
import { trafficContract } from "./traffic-contract.ts";
import { upkeepContract } from "./upkeep-contract.ts";

/** The tests that every store passes. `open` returns an empty store each time. */
export function storeContract(open: OpenStore): void {
  deliveryContract(open);
  heldContract(open);
  feedContract(open);
  runContract(open);
  queueCapacityContract(open);
  trafficContract(open);
  presetContract(open);
  switchContract(open);
  driftContract(open);
  engineContract(open);
  openRunContract(open);
  runStateContract(open);
  keySlotsContract(open);
  childRunsContract(open);
  eventWaitsContract(open);
  replayContract(open);
  resumeContract(open);
  agentContract(open);
  keyContract(open);
  peopleContract(open);
  upkeepContract(open);
  alertContract(open);
}
