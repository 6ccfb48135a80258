import { afterAll, beforeAll, vi } from "vitest";
import { deliveryContract } from "../testing/delivery-contract.ts";
import { engineContract } from "../testing/engine-contract.ts";
import { keyContract } from "../testing/key-contract.ts";
import { peopleContract } from "../testing/people-contract.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { presetContract } from "../testing/preset-contract.ts";
import { queueRoomContract } from "../testing/queue-room-contract.ts";
import { runContract } from "../testing/run-contract.ts";
import { switchContract } from "../testing/switch-contract.ts";
import { trafficContract } from "../testing/traffic-contract.ts";
import { upkeepContract } from "../testing/upkeep-contract.ts";

// Each statement is a round trip between two processes.
vi.setConfig({ testTimeout: 60_000 });

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
}, 300_000);
afterAll(() => server.stop());

const open = () => server.openStore();

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
