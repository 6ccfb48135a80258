import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startCluster } from "../scripts/postgres-cluster.ts";
import type { BuildList } from "../server/contract/project/build.ts";
import type { Run, RunSummary } from "../server/contract/run.ts";
import { openFleet } from "./machines/machine.ts";
import { nappingProject } from "./machines/napping-project.ts";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { repository, writeProject } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";

/** For operations that are instant on an idle machine, and take minutes during a complete test run. */
const eventually = { timeout: 300_000, interval: 250 };

const sleepers = 1_000;
const atOnce = 50;

interface Api {
  url: string;
  headers: Record<string, string>;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-pinned-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Sends as many webhooks as there are bodies, some at a time. Returns their runs. */
async function sendAll({ url, headers }: Api, bodies: readonly object[]): Promise<string[]> {
  const ids: string[] = [];
  const queue = [...bodies.entries()];
  const send = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const response = await postJson(`${url}/triggers/naps`, next[1], headers);
      const answer = (await response.json()) as { runId: string };
      expect({ status: response.status, answer }).toMatchObject({ status: 202 });
      ids[next[0]] = answer.runId;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, send));
  return ids;
}

function readRuns({ url, headers }: Api, query: string): Promise<{ data: RunSummary[]; nextCursor: string | null }> {
  return getJson(`${url}/api/v1/runs?${query}`, headers);
}

async function listRuns(api: Api): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  for (let cursor = ""; ;) {
    const page = await readRuns(api, `limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    runs.push(...page.data);
    if (page.nextCursor === null) return runs;
    cursor = page.nextCursor;
  }
}

/** Resolves when this number of runs is asleep. */
async function untilAsleep(log: string, count: number): Promise<void> {
  await vi.waitFor(
    () =>
      expect(
        readFileSync(log, "utf8")
          .split("\n")
          .filter((line) => line.endsWith(" charge")),
      ).toHaveLength(count),
    eventually,
  );
}

const openStatuses = ["queued", "running", "waiting"];

/** Resolves when no run is open. Returns all runs. */
function untilAllEnded(api: Api): Promise<RunSummary[]> {
  return vi.waitFor(async () => {
    for (const status of openStatuses)
      expect(await readRuns(api, `limit=1&status=${status}`), status).toMatchObject({ data: [], nextCursor: null });
    const runs = await listRuns(api);
    // A run that changed its state between two reads was in neither of them.
    expect(runs.find(({ status }) => openStatuses.includes(status))).toBeUndefined();
    return runs;
  }, eventually);
}

/** `nap`: long enough that 1,000 runs that wake again and again leave time for new ones. */
const bodies = (folder: string, count: number, nap = "5s") =>
  Array.from({ length: count }, (_, n) => ({ n, log: join(folder, "log"), gate: join(folder, "gate"), nap }));

/** The effects of each run: both steps of the first version, once. */
const everyStepOnce = (count: number) =>
  Array.from({ length: count }, (_, n) => [`${n} charge`, `${n} receipt`])
    .flat()
    .toSorted();

const effectsIn = (folder: string) => readFileSync(join(folder, "log"), "utf8").trim().split("\n").toSorted();

const cli = (projectDir: string, ...args: string[]) =>
  signalbox([...args, "--project", projectDir], { cwd: projectDir });

const createKey = (projectDir: string, env: NodeJS.ProcessEnv, ...args: string[]) => {
  const { stdout } = signalbox(["keys", "create", "--json", ...args], { cwd: projectDir, env });
  return (JSON.parse(stdout) as { secret: string }).secret;
};

function buildProject(version: "one" | "two", projectDir = writeProject(nappingProject(version))): string {
  for (const [path, text] of Object.entries(nappingProject(version))) writeFileSync(join(projectDir, path), text);
  const built = cli(projectDir, "build");
  expect(built.status, built.stderr).toBe(0);
  return projectDir;
}

async function start(projectDir: string, env: NodeJS.ProcessEnv = {}) {
  const service = await startService({ projectDir, command: "start", env });
  const token = createKey(projectDir, env, "--api", "--scope", "admin");
  const key = createKey(projectDir, env);
  return {
    service,
    api: { url: service.url, headers: { authorization: `Bearer ${token}` } },
    sender: { url: service.url, headers: { "x-api-key": key } },
  };
}

const builds = (projectDir: string) => JSON.parse(cli(projectDir, "builds", "list", "--json").stdout) as BuildList;

describe("with SQLite", () => {
  it("a change of the input with 1,000 sleeping runs loses none, and build says how many would not fit", async () => {
    const folder = makeFolder();
    const projectDir = buildProject("one");
    const { service, sender } = await start(projectDir);
    const ids = await sendAll(sender, bodies(folder, sleepers, "20s"));
    await untilAsleep(join(folder, "log"), sleepers);
    expect(await service.stop()).toBe(0);

    for (const [path, text] of Object.entries(nappingProject("two"))) writeFileSync(join(projectDir, path), text);
    const strict = cli(projectDir, "build", "--check-open-runs", "--json");
    expect(strict.status).toBe(1);
    expect(JSON.parse(strict.stdout)).toMatchObject({
      error: { code: "open_runs_misfit", openRuns: { openRuns: sleepers, misfits: sleepers, failing: 0 } },
    });
    expect(builds(projectDir).data.find(({ isCurrent }) => isCurrent)).toMatchObject({ openRuns: sleepers });
    const built = cli(projectDir, "build");
    expect(built.status).toBe(0);
    expect(built.stderr).toContain("1,000 of 1,000 open runs do not fit this build:");
    expect(built.stderr).toContain("input/email");
    expect(built.stderr).toContain("1,000 continue on the build that accepted them.");

    const deployed = await start(projectDir);
    writeFileSync(join(folder, "gate"), "");
    const runs = await untilAllEnded(deployed.api);
    expect(runs.map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual(
      ids.map((id) => `${id} completed`).toSorted(),
    );
    expect(effectsIn(folder)).toEqual(everyStepOnce(sleepers));
    const run = await getJson<Run>(`${deployed.api.url}/api/v1/runs/${ids[0]}`, deployed.api.headers);
    expect(run).toMatchObject({ output: { version: "one" } });
    // New runs start with the new build, beside the old one.
    const fresh = { n: 0, log: join(folder, "new"), gate: join(folder, "gate"), nap: "1s", email: "ada@example.com" };
    const [freshId = ""] = await sendAll(deployed.sender, [fresh]);
    expect(await waitForRun(deployed.api, freshId, deployed.api.headers)).toMatchObject({
      output: { version: "two" },
    });
  });

  it("a run whose build was deleted fails with the way out, and other builds are not removed while it is open", async () => {
    const folder = makeFolder();
    const projectDir = buildProject("one");
    const first = await start(projectDir);
    const [lost = ""] = await sendAll(first.sender, bodies(folder, 1));
    await untilAsleep(join(folder, "log"), 1);
    expect(await first.service.stop()).toBe(0);
    const [old] = builds(projectDir).data;
    // More newer builds than are kept without open runs.
    for (let n = 0; n < 6; n += 1) {
      const newer = join(projectDir, `.signalbox/builds/newer-${n}`);
      mkdirSync(newer);
      utimesSync(newer, new Date(), new Date(Date.now() + n * 1_000));
    }
    buildProject("two", projectDir);
    expect(builds(projectDir).data.find(({ id }) => id === old?.id)).toMatchObject({ isCurrent: false, openRuns: 1 });
    expect(readdirSync(join(projectDir, ".signalbox/builds"))).not.toContain("newer-0");

    rmSync(join(projectDir, ".signalbox/builds", old?.id ?? "none"), { recursive: true });
    expect(cli(projectDir, "doctor").stdout).toContain(`! builds: 1 open run of build ${old?.id}, which neither`);
    writeFileSync(join(folder, "gate"), "");
    const { service, api } = await start(projectDir);
    const run = await waitForRun(api, lost, api.headers);
    await vi.waitFor(
      () =>
        expect(service.output()).toContain("runs continue on another build: no machine has the one that accepted them"),
      eventually,
    );
    expect(run).toMatchObject({ status: "failed", error: { name: "InvalidInput" } });
    expect(run.error?.message).toContain("/email");
    expect(run.error?.message).toMatch(
      new RegExp(`Build ${old?.id} accepted the run, and \\w+ executes it instead\\. .*runs resume`),
    );
    expect(service.output()).toContain("1 of 1 open run does not fit this build, and 1 of them continues on it");
  });

  it("a run that a container accepted continues on its build in the next container, which has another one", async () => {
    const folder = makeFolder();
    const env = {
      SIGNALBOX_DATABASE_URL: `file:${join(folder, "signalbox.db")}`,
      SIGNALBOX_BUILDS_DIR: join(folder, "builds"),
      SIGNALBOX_SECRET: "a secret that outlives containers",
    };
    const before = await start(buildProject("one"), env);
    const [asleep = ""] = await sendAll(before.sender, bodies(folder, 1));
    await untilAsleep(join(folder, "log"), 1);
    expect(await before.service.stop()).toBe(0);
    const { api } = await start(buildProject("two"), env);
    writeFileSync(join(folder, "gate"), "");
    expect(await waitForRun(api, asleep, api.headers)).toMatchObject({
      status: "completed",
      output: { version: "one" },
    });
    expect(readdirSync(join(folder, "builds"))).toHaveLength(2);
  });

  it("rolls back a running service, whose open runs stay on their builds, and writes it to the audit log", async () => {
    const folder = makeFolder();
    const projectDir = buildProject("one");
    buildProject("two", projectDir);
    const { api, sender } = await start(projectDir);
    const [ofTwo = ""] = await sendAll(sender, [{ ...bodies(folder, 1)[0], email: "ada@example.com" }]);
    await vi.waitFor(() => expect(readFileSync(join(folder, "log"), "utf8")).toBe("0 pay\n"), eventually);
    const { previous } = builds(projectDir);

    const rolledBack = cli(projectDir, "builds", "rollback");
    expect(rolledBack.status, rolledBack.stderr).toBe(0);
    expect(rolledBack.stdout).toBe(`${previous} is the current build.\n`);
    // The first build accepts bodies without an email.
    await vi.waitFor(
      async () =>
        expect((await postJson(`${api.url}/triggers/naps`, bodies(folder, 2)[1], sender.headers)).status).toBe(202),
      eventually,
    );
    writeFileSync(join(folder, "gate"), "");
    const runs = await untilAllEnded(api);
    expect(runs.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(await waitForRun(api, ofTwo, api.headers)).toMatchObject({ output: { version: "two" } });
    const audit = await getJson<{ data: object[] }>(`${api.url}/api/v1/audit`, api.headers);
    expect(audit.data).toContainEqual(expect.objectContaining({ action: "build.rolled-back", subject: previous }));
  });
});

const withoutIds = (text: string) =>
  text
    .replaceAll(/run_\w+/g, "run")
    .replaceAll(/build \w{12}/g, "build")
    .trim();

describe("the guide", () => {
  const guide = readFileSync(join(repository, "docs/changing-workflows.md"), "utf8");
  /** The files of the page, in order: those before the change, then those after it. */
  const files = [...guide.matchAll(/```ts\n\/\/ (\S+)\n([^]*?)```/g)].map(([, path = "", text = ""]) => ({
    path,
    text,
  }));
  const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, text = ""]) => text.trim().split("\n"));

  it("shows what its commands do and print", async () => {
    const projectDir = writeProject(Object.fromEntries(files.slice(0, 2).map(({ path, text }) => [path, text])));
    const rest = [...commands];
    const run = (start: string) => {
      const line = rest.shift() ?? "";
      expect(line.startsWith(`npx signalbox ${start}`), `${line} begins with ${start}`).toBe(true);
      const args = [...line.slice("npx signalbox ".length).matchAll(/'([^']*)'|(\S+)/g)];
      return signalbox(
        args.map(([, quoted, plain = ""]) => quoted ?? plain),
        { cwd: projectDir },
      );
    };
    expect(cli(projectDir, "build").status).toBe(0);
    const service = await startService({ projectDir, command: "start" });
    for (const order of ["a", "b"]) expect(run("triggers send").status, order).toBe(0);
    await vi.waitFor(
      () =>
        expect(JSON.parse(cli(projectDir, "runs", "list", "--status", "waiting", "--json").stdout)).toMatchObject({
          data: [{}, {}],
        }),
      eventually,
    );
    expect(files.slice(2, 4).map(({ path }) => path)).toEqual(files.slice(0, 2).map(({ path }) => path));
    for (const { path, text } of files.slice(2, 4)) writeFileSync(join(projectDir, path), text);
    const built = run("build");
    expect(built.status).toBe(0);
    const [, shown = ""] = /```\n(2 of 2[^]*?)```/.exec(guide) ?? [];
    expect(withoutIds(built.stderr)).toBe(withoutIds(shown));
    expect(run("build --check-open-runs").status).toBe(1);
    expect(run("builds list").stdout).toMatch(/✓ current .* 0\n.*kept .* 2\n/);
    expect(run("builds rollback").status).toBe(0);
    expect(cli(projectDir, "builds", "list").stdout).toMatch(/kept .* 0\n.*✓ current .* 2\n/);
    expect(rest).toEqual([]);
    expect(service.child.exitCode).toBeNull();
  });
});

describe("with Postgres", () => {
  it("a rolling change of the input over two hosts with 1,000 sleeping runs loses none", async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster.remove());
    const folder = makeFolder();
    const env = {
      SIGNALBOX_DATABASE_URL: cluster.url("postgres"),
      SIGNALBOX_SECRET: "a secret that all machines share",
    };
    const fleet = openFleet({ files: nappingProject("one"), env });
    onTestFinished(() => fleet.close());
    const [web, worker] = [await fleet.start("web"), await fleet.start("worker")];
    const { secret: token } = JSON.parse(
      signalbox(["keys", "create", "--api", "--scope", "admin", "--json"], { cwd: web.dir, env }).stdout,
    ) as { secret: string };
    const headers = { authorization: `Bearer ${token}` };
    const created = await postJson(
      `${web.url}/api/v1/keys`,
      { kind: "webhook", name: "test", endpoints: null, expiresAt: null },
      headers,
    );
    const { secret: key } = (await created.json()) as { secret: string };
    const ids = await sendAll({ url: web.url, headers: { "x-api-key": key } }, bodies(folder, sleepers, "60s"));
    await untilAsleep(join(folder, "log"), sleepers);

    const newer = await fleet.start("worker", { files: nappingProject("two") });
    expect(await worker.stop()).toBe(0);
    const newerWeb = await fleet.start("web", { files: nappingProject("two") });
    expect(await web.stop()).toBe(0);
    writeFileSync(join(folder, "gate"), "");
    const api = { url: newerWeb.url, headers };
    const runs = await untilAllEnded(api);
    expect(runs.map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual(
      ids.map((id) => `${id} completed`).toSorted(),
    );
    expect(effectsIn(folder)).toEqual(everyStepOnce(sleepers));
    expect(await getJson<Run>(`${api.url}/api/v1/runs/${ids[0]}`, headers)).toMatchObject({
      output: { version: "one" },
    });
    const fresh = { n: 0, log: join(folder, "new"), gate: join(folder, "gate"), nap: "1s", email: "ada@example.com" };
    const [freshId = ""] = await sendAll({ url: api.url, headers: { "x-api-key": key } }, [fresh]);
    expect(await waitForRun(api, freshId, headers)).toMatchObject({ output: { version: "two" } });
    expect(newer.child.exitCode).toBeNull();
  });
});
