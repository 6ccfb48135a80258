import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { storeContract } from "../testing/store-contract.ts";
import { openSqliteStore } from "./open-store.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let opened = 0;
const open = () => {
  opened += 1;
  return openSqliteStore({ file: join(folder, `${opened}`, "ledger.db") });
};

storeContract(open);
