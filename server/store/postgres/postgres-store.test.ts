import { afterAll, beforeAll, vi } from "vitest";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { storeContract } from "../testing/store-contract.ts";

// Each statement is a round trip between two processes.
vi.setConfig({ testTimeout: 60_000 });

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
}, 300_000);
afterAll(() => server.stop());

const open = () => server.openStore();

storeContract(open);
