import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { deliveryContract } from "../testing/delivery-contract.ts";
import { engineContract } from "../testing/engine-contract.ts";
import { keyContract } from "../testing/key-contract.ts";
import { peopleContract } from "../testing/people-contract.ts";
import { presetContract } from "../testing/preset-contract.ts";
import { queueRoomContract } from "../testing/queue-room-contract.ts";
import { switchContract } from "../testing/switch-contract.ts";
import { runContract } from "../testing/run-contract.ts";
import { trafficContract } from "../testing/traffic-contract.ts";
import { upkeepContract } from "../testing/upkeep-contract.ts";
import { openSqliteStore } from "./open-store.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let opened = 0;
const open = () => {
  opened += 1;
  return openSqliteStore({ file: join(folder, `${opened}`, "ledger.db") });
};

deliveryContract(open);
runContract(open);
queueRoomContract(open);
trafficContract(open);
presetContract(open);
switchContract(open);
engineContract(open);
keyContract(open);
peopleContract(open);
upkeepContract(open);
