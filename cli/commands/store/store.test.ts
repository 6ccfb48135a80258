import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openConnection } from "../../../server/store/sqlite/file/open-connection.ts";
import { openSqliteStore } from "../../../server/store/sqlite/open-store.ts";
import { aKey, aRun } from "../../../server/store/testing/factories.ts";
import { runFakeCli } from "../testing/fake-host.ts";

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-store-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it("store migrate creates a store and lists what it applied; the second time nothing is pending", async () => {
  const cwd = emptyFolder();
  const migrate = (...more: string[]) =>
    runFakeCli(["store", "migrate", "--to", "file:data/ledger.db", ...more], { cwd });
  const first = await migrate("--json");
  expect([first.exitCode, JSON.parse(first.stdout)]).toEqual([
    0,
    {
      store: join(cwd, "data/ledger.db"),
      applied: expect.arrayContaining(["0000_initial"]),
      at: expect.stringMatching(/^\d{4}_/),
    },
  ]);
  const second = await migrate();
  expect([second.exitCode, second.stdout]).toEqual([
    0,
    expect.stringMatching(/ledger\.db is up to date \(\d{4}_\w+\)\. No migrations were pending\.\n$/),
  ]);
});

it("store reindex rebuilds a list index that doctor reports", async () => {
  const cwd = emptyFolder();
  const state = join(cwd, ".signalbox");
  const file = join(state, "signalbox.db");
  const store = await openSqliteStore({ file });
  await store.createRuns([aRun(), aRun()]);
  await store.close();
  const manifest = {
    format: 1,
    version: "v",
    builtAt: "2026-11-21T09:00:00Z",
    name: "p",
    folder: "builds/v",
    sources: "s.js",
    settings: { baseUrl: "http://localhost:3000" },
    triggers: [],
    workflows: [],
  };
  writeFileSync(join(state, "manifest.json"), JSON.stringify(manifest));
  const reindex = (...more: string[]) => runFakeCli(["store", "reindex", "--project", cwd, ...more]);
  expect(JSON.parse((await reindex("--json")).stdout)).toEqual({ file, rows: 2 });
  const connection = await openConnection(file);
  connection.exec("DELETE FROM run_list WHERE seq = 1");
  connection.close();
  const listsOf = async () => /^. lists:.*$/m.exec((await runFakeCli(["doctor", "--project", cwd])).stdout)?.[0];
  expect(await listsOf()).toBe(
    "✗ lists: lists can miss rows: 1 entry of run_list differs from its row → Rebuild the list index with `signalbox store reindex`.",
  );
  expect(await reindex()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`✓ Rebuilt the list index of ${file}: 2 rows in `),
  });
  expect(await listsOf()).toBe("✓ lists: the list index matches the rows");
});

it("store copy lists every table with its rows and their hash, in text and as JSON", async () => {
  const cwd = emptyFolder();
  const store = await openSqliteStore({ file: join(cwd, "a.db") });
  await store.createKey(aKey());
  await store.close();
  const text = await runFakeCli(["store", "copy", "--from", "file:a.db", "--to", "file:b.db"], { cwd });
  expect(text.exitCode).toBe(0);
  expect(text.stdout).toMatch(/^webhook_key +1 +[0-9a-f]{64}$/m);
  expect(text.stdout).toMatch(/✓ Copied .*a\.db to .*b\.db: 1 row, compared one by one/);
  expect(text.stderr).toMatch(/same SIGNALBOX_SECRET/);
  const json = await runFakeCli(["store", "copy", "--from", "file:a.db", "--to", "file:c.db", "--json"], { cwd });
  expect(JSON.parse(json.stdout)).toMatchObject({
    from: join(cwd, "a.db"),
    to: join(cwd, "c.db"),
    isContinued: false,
    changedRows: 0,
    tables: expect.arrayContaining([{ name: "webhook_key", rows: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]),
  });
  expect(json.stderr).toBe("");
});

it("a rejected store copy prints the reason and the fix, and exits with 1", async () => {
  const cwd = emptyFolder();
  const missing = await runFakeCli(["store", "copy", "--from", "file:none.db", "--to", "file:b.db"], { cwd });
  expect([missing.exitCode, missing.stderr]).toEqual([
    1,
    `✗ The store ${join(cwd, "none.db")} does not exist: there is nothing to copy.\n  Correct --from.\n`,
  ]);
  expect(existsSync(join(cwd, "b.db"))).toBe(false);
  const store = await openSqliteStore({ file: join(cwd, "served.db") });
  onTestFinished(() => store.close());
  const served = await runFakeCli(["store", "copy", "--from", "file:served.db", "--to", "file:b.db", "--json"], {
    cwd,
  });
  expect([served.exitCode, JSON.parse(served.stdout)]).toEqual([
    1,
    {
      error: {
        code: "store_unusable",
        message: expect.stringMatching(/served\.db is in use by another process\.$/),
        fix: "Stop the service and every other process that has the file open.",
      },
    },
  ]);
});

it.each([
  [["--from", "file:a.db"], /--to <url>' not specified/],
  [["--from", "a.db", "--to", "file:b.db"], /--from must be a file: URL/],
  [["--from", "file:a.db", "--to", "mysql://x"], /--to must be a file: URL/],
  [["--from", "file:a.db", "--to", "file:./a.db"], /name the same store/],
])("store copy %j is wrong usage", async (options, message) => {
  const { exitCode, stderr } = await runFakeCli(["store", "copy", ...options], { cwd: emptyFolder() });
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
});
