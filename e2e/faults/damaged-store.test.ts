import { spawnSync } from "node:child_process";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { cliFile } from "../support/project.ts";
import { cleanEnvironment } from "../../scripts/clean-environment.ts";

import { expectAnswersOf, statusOf } from "./expectations.ts";
import { prepareFaultyProject, startFaultyService } from "./faulty-service.ts";
import { sendNote, startLoad } from "./load.ts";

interface Damage {
  name: string;
  damage(file: string): void;
  /** The text of the message after the file name. */
  says: RegExp;
}

const noise = Buffer.from(Array.from({ length: 20_000 }, (_, at) => (at * 7919 + 13) % 251));

const damages: Damage[] = [
  {
    name: "was cut off",
    damage: (file) => truncateSync(file, Math.floor(statSync(file).size / 3)),
    says: /damaged.*\.recover/s,
  },
  {
    name: "has noise in its middle",
    damage: (file) =>
      writeFileSync(
        file,
        Buffer.concat([readFileSync(file).subarray(0, 4_096), noise, readFileSync(file).subarray(24_096)]),
      ),
    says: /damaged.*\.recover/s,
  },
  {
    name: "has noise for its log",
    damage: (file) => writeFileSync(`${file}-wal`, noise),
    says: /-wal.*damaged.*backup/s,
  },
  {
    name: "is a text",
    damage: (file) => writeFileSync(file, "a text\n".repeat(1_000)),
    says: /not a SQLite database.*SIGNALBOX_DATABASE_URL/s,
  },
  {
    name: "is a folder",
    damage: (file) => (rmSync(file), mkdirSync(file)),
    says: /cannot be opened.*SIGNALBOX_DATABASE_URL/s,
  },
  // Root ignores permissions, but not a path that does not exist.
  {
    name: "cannot be reached",
    damage: (file) => (rmSync(file), symlinkSync(file, file)),
    says: /cannot be (opened|created).*permissions/s,
  },
  {
    name: "was written by a newer version",
    damage(file) {
      const db = new Database(file);
      db.exec("INSERT INTO schema_migration (position, tag, applied_at) VALUES (9999, '9999_from_the_future', 0)");
      db.close();
    },
    says: /newer Signalbox.*\n +Upgrade signalbox, or restore the backup/s,
  },
];

describe("a store that is unusable at the start", () => {
  it("is reported in one message with the fix and exit code 1, and no file is overwritten", () => {
    const project = prepareFaultyProject();
    const good = `${project.file}.good`;
    cpSync(project.file, good);
    for (const { name, damage, says } of damages) {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${project.file}${suffix}`, { recursive: true, force: true });
      cpSync(good, project.file);
      damage(project.file);
      const before = fingerprint(project.file);
      const result = spawnSync(process.execPath, [cliFile, "start", "--project", project.projectDir, "--port", "0"], {
        cwd: project.projectDir,
        env: { ...cleanEnvironment(), ...project.env },
        encoding: "utf8",
        timeout: 60_000,
      });
      expect([name, result.status, result.stdout]).toEqual([name, 1, ""]);
      expect(result.stderr, name).toMatch(says);
      expect(result.stderr, name).toContain(project.file);
      expect(result.stderr, name).not.toMatch(/Retry-After|^\s+at /m);
      expect(result.stderr.trim().split("\n").length, result.stderr).toBeLessThanOrEqual(4);
      expect(fingerprint(project.file), name).toEqual(before);
    }
  });
});

describe("a store that is damaged while it is used", () => {
  it("by truncation makes the service not ready, with the reason, while webhooks get 503", async () => {
    const service = await startFaultyService(prepareFaultyProject());
    const { url, key, file } = service;
    const load = startLoad({ url, key, clients: 3, paceMs: 50 });
    await vi.waitFor(() => expect(load.answers().filter(({ status }) => status === 202).length).toBeGreaterThan(10));
    expect((await statusOf(`${url}/readyz`)).status).toBe(200);
    truncateSync(file, 8_192);
    await vi.waitFor(() =>
      expect(
        load
          .answers()
          .slice(-10)
          .map(({ status }) => status),
      ).toEqual(Array.from({ length: 10 }, () => 503)),
    );
    // An answer counts for a second.
    await vi.waitFor(async () => expect((await statusOf(`${url}/readyz`)).status).toBe(503));
    for (let looks = 0; looks < 10; looks += 1) {
      const ready = await statusOf(`${url}/readyz`);
      expect([ready.status, ready.text]).toEqual([
        503,
        expect.stringMatching(/Cannot write to the store\. The d(atabase file is damaged|isk of the database)/),
      ]);
      const seen = load.answers().length;
      await vi.waitFor(() => expect(load.answers().length).toBeGreaterThan(seen + 3));
    }
    expect((await statusOf(`${url}/healthz`)).status).toBe(200);
    await load.finish();
    // No more requests, and the damage is still there, for longer than a response or a failure alone counts.
    for (
      const since = performance.now();
      performance.now() - since < 5_000;
      await new Promise((resolve) => setTimeout(resolve, 250))
    ) {
      expect((await statusOf(`${url}/readyz`)).status).toBe(503);
    }
    await service.killGroup();
  });

  it("makes the service answer 503, never 500, and log the reason; it continues after a restore and a restart", async () => {
    const project = prepareFaultyProject();
    const service = await startFaultyService(project);
    const { url, key, file } = service;
    const load = startLoad({ url, key, clients: 3, paceMs: 50 });
    await vi.waitFor(() => expect(load.answers().filter(({ status }) => status === 202).length).toBeGreaterThan(10));
    renameSync(file, `${file}.away`);
    mkdirSync(file);
    await vi.waitFor(async () => expect((await sendNote({ url, key })).status).toBe(503));
    const from = load.answers().length + 3;
    await vi.waitFor(() => expect(load.answers().length).toBeGreaterThan(from + 10));
    expectAnswersOf(load.answers().slice(from), [503]);
    const ready = await statusOf(`${url}/readyz`);
    expect([ready.status, ready.text]).toEqual([503, expect.stringContaining("removed or replaced")]);
    expect((await statusOf(`${url}/healthz`)).status).toBe(200);
    expect(service.output()).toContain("removed or replaced");
    const answers = await load.finish();
    expectAnswersOf(answers, [202, 503]);
    await service.stop();
    rmSync(file, { recursive: true });
    renameSync(`${file}.away`, file);
    const again = await startFaultyService(project);
    expect((await sendNote({ url: again.url, key })).status).toBe(202);
    expect(await again.stop()).toBe(0);
  });
});

function fingerprint(file: string): unknown {
  return ["", "-wal"].map((suffix) => {
    const path = `${file}${suffix}`;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? readFileSync(path).toString("base64") : stats?.mode;
  });
}
