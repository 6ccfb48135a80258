import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readSettings } from "../../../server/config.ts";
import type { FailedBuild } from "../../../server/contract/project/failed-build.ts";
import type { Manifest } from "../../../server/contract/project/manifest.ts";
import type { ProjectSettings } from "../../../server/contract/project/settings.ts";
import { announceServer } from "../../api/running-server.ts";
import type { BuildResult } from "../../build/build-project.ts";
import type { ServiceEvents } from "../service/service-events.ts";
import { createDevSession, namingUnknownEndpoints, requireSingleService } from "./dev.ts";

const broken: BuildResult = { ok: false, diagnostics: [] };
const built = (version: string, settings: ProjectSettings = {}): BuildResult => ({
  ok: true,
  manifest: manifest(version, settings),
  warnings: [],
  inputs: ["workflows/a.ts", "data/rates.json"],
  packages: [],
});

it("a project whose first build fails starts after the fix", async () => {
  const { rebuild } = setUp();
  expect(await rebuild(broken)).toEqual(["broken, serving null"]);
  expect(await rebuild(built("v1"))).toEqual(["start", "ready v1"]);
});

it("the last successful build is served while a new one fails, and identical builds are not loaded again", async () => {
  const { rebuild } = setUp();
  await rebuild(built("v1"));
  expect(await rebuild(broken)).toEqual(["broken, serving v1"]);
  expect(await rebuild(built("v1"))).toEqual(["unchanged v1 fixed"]);
  expect(await rebuild(built("v1"))).toEqual(["unchanged v1"]);
  expect(await rebuild(built("v2"))).toEqual(["reload", "reloaded v2"]);
});

it("the pages show a failed build until one succeeds", async () => {
  const { rebuild, reported } = setUp();
  const problem = {
    code: "syntax_error",
    severity: "error",
    file: "triggers/a.ts",
    line: 3,
    column: 1,
    frame: null,
    title: "triggers/a.ts:3 is not TypeScript",
    text: "",
    fix: "Fix it.",
  } as const;
  await rebuild(broken);
  await rebuild(built("v1"));
  expect(reported).toEqual([]);
  await rebuild({ ok: false, diagnostics: [problem] });
  expect(reported).toEqual([{ at: "2026-11-21T10:00:00.000Z", problems: [problem] }]);
  await rebuild(built("v1"));
  await rebuild(built("v2"));
  expect(reported.slice(1)).toEqual([null]);
});

it("the pages show a build that cannot be loaded", async () => {
  let fails = true;
  const { rebuild, reported } = setUp({
    reload: async () => {
      if (fails) throw new Error("No such secret.");
    },
  });
  await rebuild(built("v1"));
  await expect(rebuild(built("v2"))).rejects.toThrow("No such secret.");
  expect(reported).toMatchObject([
    { problems: [{ title: "The new build could not be loaded", text: "No such secret." }] },
  ]);
  fails = false;
  await rebuild(built("v2"));
  expect(reported.at(-1)).toBeNull();
});

it("a changed setting is reported once", async () => {
  const { rebuild } = setUp();
  await rebuild(built("v1"));
  const changed = { port: 4000, databaseUrl: "file:./other.db" };
  expect(await rebuild(built("v2", changed))).toEqual([
    "warn: Changed settings (port, database) take effect when you restart `signalbox dev`.",
    "reload",
    "reloaded v2",
  ]);
  expect(await rebuild(built("v3", changed))).toEqual(["reload", "reloaded v3"]);
});

it("a build that could not be loaded is tried again", async () => {
  let fails = true;
  const { rebuild } = setUp({
    reload: async () => {
      if (fails) throw new Error("no");
    },
  });
  await rebuild(built("v1"));
  await expect(rebuild(built("v2"))).rejects.toThrow("no");
  fails = false;
  expect(await rebuild(built("v2"))).toEqual(["reload", "reloaded v2"]);
});

it("changed variables also reach the process that is prepared for the next build", async () => {
  const { session, rebuild, preparations } = setUp();
  await rebuild(broken);
  session.changeVariables(["A"]);
  expect(preparations.discarded).toBe(1);
});

it("the process of the next build is prepared while the service loads this one, and after a failed build", async () => {
  const preparedAtReload: number[] = [];
  const { rebuild, preparations } = setUp({
    async reload() {
      // The service begins first.
      preparedAtReload.push(preparations.prepared);
      await Promise.resolve();
      preparedAtReload.push(preparations.prepared);
    },
  });
  for (const result of [built("v1"), broken, built("v2")]) await rebuild(result);
  expect(preparations.prepared).toBe(3);
  expect(preparedAtReload).toEqual([2, 3]);
});

it("a build that is restored after a failed reload is loaded again", async () => {
  let fails = true;
  const { rebuild } = setUp({
    reload: async () => {
      if (fails) throw new Error("no");
    },
  });
  await rebuild(built("v1"));
  await expect(rebuild(built("v2"))).rejects.toThrow("no");
  fails = false;
  expect(await rebuild(built("v1"))).toEqual(["reload", "reloaded v1"]);
  expect(await rebuild(built("v1"))).toEqual(["unchanged v1"]);
});

it("a service that cannot start is not served", async () => {
  const { session, rebuild } = setUp({
    start: async () => {
      throw new Error("port in use");
    },
  });
  await expect(rebuild(built("v1"))).rejects.toThrow("port in use");
  expect(session.isServing()).toBe(false);
});

it("changed variables restart the service with the next successful build, even if it is the same one; until then it is served", async () => {
  const { session, rebuild } = setUp();
  session.changeVariables(["A"]);
  expect(await rebuild(built("v1"))).toEqual(["start", "ready v1"]);
  session.changeVariables(["A"]);
  session.changeVariables(["B", "A"]);
  expect(await rebuild(broken)).toEqual([
    "broken, serving v1",
    "warn: Changed variables (A, B) take effect with the next successful build.",
  ]);
  expect(session.isServing()).toBe(true);
  expect(await rebuild(built("v1"))).toEqual([
    "info: Changed variables (A, B): restarting.",
    "close",
    "start",
    "ready v1",
  ]);
  expect(await rebuild(built("v1"))).toEqual(["unchanged v1"]);
});

it("inputs of the build cause a rebuild, files that workflows write do not", async () => {
  const { session, rebuild } = setUp();
  await rebuild(built("v1"));
  const inputs = [
    "workflows/a.ts",
    "workflows/mail.html",
    "lib/new.ts",
    "data/rates.json",
    "signalbox.config.ts",
    "tsconfig.json",
    "package.json",
    "triggers",
  ];
  const others = ["outbox/mail.json", "dev.log", "README.md", "requests/signup.json"];
  expect([...others, ...inputs].filter(session.concerns)).toEqual(inputs);
  await rebuild(broken);
  expect(session.concerns("data/missing.json")).toBe(true);
  expect(session.concerns("dev.log")).toBe(false);
});

/** Another process of this machine: the one that started this. */
const pid = process.ppid;

function announced(url: string, server: Partial<Parameters<typeof announceServer>[1]> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-second-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  announceServer(dir, { pid, url, mode: "development", startedAt: "2026-11-21T10:00:00.000Z", ...server });
  return dir;
}

async function answeringUrl(status = 200): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("a second service of a project is rejected with the URL, the process id and the fix", async () => {
  const url = await answeringUrl();
  await expect(requireSingleService(announced(url))).rejects.toMatchObject({
    message: `\`signalbox dev\` already serves this project on ${url} (process ${pid}).`,
    details: { code: "already_running", fix: expect.stringContaining(`kill ${pid}`), extra: { pid, url } },
  });
  await expect(requireSingleService(announced(url, { mode: "deployed" }))).rejects.toThrow(
    "`signalbox start` already serves this project",
  );
});

it("killed services and reused process ids are ignored", async () => {
  const url = await answeringUrl();
  await expect(requireSingleService(announced(url, { pid: 999_999_99 }))).resolves.toBeUndefined();
  await expect(requireSingleService(announced("http://127.0.0.1:9"))).resolves.toBeUndefined();
  await expect(requireSingleService(announced(await answeringUrl(404)))).resolves.toBeUndefined();
});

it("a followed endpoint that the project does not have is named, with a similar one", () => {
  const messages: string[] = [];
  const events = { ready() {}, notice: (_: string, message: string) => messages.push(message) };
  const named = namingUnknownEndpoints(events as unknown as ServiceEvents, ["sigup", "signup"]);
  const triggers = [{ endpoint: "signup" }] as Manifest["triggers"];
  const url = "http://127.0.0.1:3002";
  named.ready({
    mode: "development",
    url,
    localUrl: url,
    store: "SQLite s.db",
    manifest: { ...manifest("v1", {}), triggers },
    warnings: [],
  });
  expect(messages).toEqual([
    'No trigger of this project listens on sigup. Did you mean "signup"? Its deliveries will be rejected here.',
  ]);
});

function manifest(version: string, settings: ProjectSettings): Manifest {
  return {
    format: 1,
    version,
    builtAt: "2026-11-21T10:00:00.000Z",
    name: "p",
    folder: `builds/${version}`,
    sources: "sources.mjs",
    settings,
    triggers: [],
    workflows: [],
    agents: [],
    environment: { reads: [], readsAny: false, secrets: [] },
  };
}

function setUp({ start, reload }: { start?: () => Promise<void>; reload?: () => Promise<void> } = {}) {
  const messages: string[] = [];
  const reported: (FailedBuild | null)[] = [];
  let next: BuildResult = broken;
  const events: ServiceEvents = {
    ready: (e) => messages.push(`ready ${e.manifest.version}`),
    reloaded: (e) => messages.push(`reloaded ${e.manifest.version}`),
    unchanged: (e) => messages.push(`unchanged ${e.version}${e.wasBroken ? " fixed" : ""}`),
    buildFailed: (e) => messages.push(`broken, serving ${e.serving}`),
    notice: (level, message) => messages.push(`${level}: ${message}`),
    delivery() {},
    runEnded() {},
    stopping() {},
    working() {},
  };
  const preparations = { discarded: 0, prepared: 0 };
  const session = createDevSession({
    build: async () => next,
    standby: { prepare: () => void (preparations.prepared += 1), discard: () => void (preparations.discarded += 1) },
    readSettings: ({ settings }) =>
      readSettings({ projectDir: "/p", mode: "development", fromProject: settings, env: {} }),
    async start() {
      await start?.();
      messages.push("start");
      return {
        url: "http://x",
        localUrl: "http://x",
        reload: async () => {
          await reload?.();
          messages.push("reload");
        },
        reloadAndReport: () => {},
        reportBuild: (failed) => void reported.push(failed),
        takeDelivery: async () => ({ taken: "recorded" }),
        close: async () => void messages.push("close"),
      };
    },
    events,
    now: () => Date.parse("2026-11-21T10:00:00.000Z"),
  });
  const rebuild = async (result: BuildResult) => {
    next = result;
    messages.length = 0;
    await session.rebuild();
    return [...messages];
  };
  return { session, rebuild, reported, preparations };
}
