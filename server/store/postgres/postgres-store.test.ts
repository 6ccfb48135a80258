import { afterAll, beforeAll } from "vitest";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { storeContract } from "../testing/store-contract.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const open = () => server.openStore();

storeContract(open);
