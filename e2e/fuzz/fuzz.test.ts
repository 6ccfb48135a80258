import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fuzz, type FuzzOptions, type Target } from "./fuzz.ts";
import { startFuzzedService } from "./fuzzed-service.ts";
import { type FuzzCase, makeCase } from "./make-case.ts";
import { type FuzzRoute, jsonRequest, newRequest } from "./request.ts";
import { measureRetainedMb, memoryReportOption } from "./retained-memory.ts";
import { listFuzzRoutes } from "./routes.ts";
import { sendWire } from "./send-wire.ts";

const first = (count: number) => Array.from({ length: count }, (_, number) => number);

function optionsOf(p: Pick<FuzzOptions, "routes" | "cases"> & Partial<FuzzOptions>): FuzzOptions {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-fuzz-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // A busy machine delays webhooks as well.
  return { seed: 1, maxMs: 300_000, stallMs: 60_000, folder, print: () => {}, ...p };
}

it("sends mutated requests to every route that anonymous clients and the scope read may use, and finds no fault of the service", async () => {
  const routes = listFuzzRoutes();
  const report = await fuzz(await startFuzzedService(), optionsOf({ routes, cases: first(3 * routes.length) }));
  expect(report.findings).toEqual([]);
  expect([...report.routes.keys()].toSorted()).toEqual(routes.map(({ name }) => name).toSorted());
  // The requests are not all rejected for the same reason.
  expect([...report.statuses.keys()]).toEqual(expect.arrayContaining([200, 202, 400, 401, 404]));
  expect(report.honest.count).toBeGreaterThan(0);
  // A started process of Node alone has 5 MiB.
  for (const name of ["supervisor", "worker", "receiver", "web"])
    expect(report.retained.at(-1)?.[name], name).toBeGreaterThan(10);
});

const sensitive = "canary-of-the-substitute";
const substituteKey = "key-of-the-substitute";

interface Substitute {
  log: string;
  pid: number;
  residentMb: number;
  retainedMb(): number;
  handle(request: IncomingMessage, response: ServerResponse): void;
}

/** A small server with a fault, instead of the service. It accepts the webhooks of the honest sender. */
async function startSubstitute(fault: (substitute: Substitute) => Substitute["handle"]): Promise<Target> {
  const substitute: Substitute = { log: "", pid: 1, residentMb: 100, retainedMb: () => 50, handle: () => {} };
  substitute.handle = fault(substitute);
  const server = createServer((request, response) => {
    request.resume();
    response.statusCode = request.url === "/triggers/honest" ? 202 : 200;
    substitute.handle(request, response);
    if (!response.headersSent) response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    values: {
      host: `127.0.0.1:${port}`,
      webhookKey: substituteKey,
      token: "token",
      cookie: "a=b",
      sensitive,
      ids: {},
      known: [],
      cursors: [],
    },
    secrets: { "the key": substituteKey },
    log: () => substitute.log,
    sample: () => ({
      minute: 0,
      processes: [{ name: "web", pid: substitute.pid, rssMb: substitute.residentMb, pssMb: 100, descriptors: 10 }],
      walMb: 0,
      databaseMb: 0,
      openRuns: 0,
    }),
    measureRetained: async () => ({ web: substitute.retainedMb() }),
  };
}

const substituteRoutes: FuzzRoute[] = [
  {
    name: "GET /",
    request: (_, { host }) =>
      newRequest({
        method: "GET",
        target: "/?limit=1",
        headers: [
          ["Host", host],
          ["X-Api-Key", substituteKey],
        ],
      }),
  },
  {
    name: "POST /",
    request: (_, { host }) => jsonRequest({ method: "POST", target: "/", headers: [["Host", host]] }, { name: "Ada" }),
  },
];
const hasRepeatedHeader = ({ rawHeaders }: IncomingMessage) => {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return new Set(names).size < names.length;
};
const isMutated = ({ url = "" }: IncomingMessage) => !url.startsWith("/triggers/");

const answers500 = () => (request: IncomingMessage, response: ServerResponse) =>
  void (hasRepeatedHeader(request) && (response.statusCode = 500));

it.each<{ name: string; kind: string; fault: (substitute: Substitute) => Substitute["handle"] }>([
  {
    name: "a 500 to a repeated header",
    kind: "server error",
    fault: answers500,
  },
  {
    name: "an internal error within a batch",
    kind: "server error",
    fault: () => (request, response) => {
      if (hasRepeatedHeader(request))
        response
          .setHeader("content-type", "application/json")
          .end('[{"error":{"data":{"code":"INTERNAL_SERVER_ERROR"}}}]');
    },
  },
  {
    name: "a key that a client has sent, in its response",
    kind: "secret",
    fault: () => (request, response) => {
      if (isMutated(request)) response.end(request.headers["x-api-key"]);
    },
  },
  {
    name: "a sensitive value in base64",
    kind: "secret",
    fault: () => (request, response) => {
      if (hasRepeatedHeader(request))
        response.end(JSON.stringify({ body: Buffer.from(`{"name":"${sensitive}"}`).toString("base64") }));
    },
  },
  {
    name: "a sensitive value in the log",
    kind: "secret",
    fault: (substitute) => (request) =>
      void (hasRepeatedHeader(request) && (substitute.log += `{"level":"info","name":"${sensitive}"}\n`)),
  },
  {
    name: "an error in the log",
    kind: "log",
    fault: (substitute) => (request) =>
      void (hasRepeatedHeader(request) && (substitute.log += '{"level":"error","msg":"request failed"}\n')),
  },
  {
    name: "an uncaught error in the log",
    kind: "log",
    fault: (substitute) => (request) =>
      void (hasRepeatedHeader(request) && (substitute.log += "TypeError: a is undefined\n    at b (c.js:1:1)\n")),
  },
  {
    name: "the exit of a process",
    kind: "exit",
    fault: (substitute) => (request) => void (hasRepeatedHeader(request) && (substitute.pid += 1)),
  },
  {
    name: "a valid webhook that is rejected",
    kind: "bystander",
    fault: () => {
      let isBroken = false;
      return (request, response) => {
        isBroken ||= isMutated(request);
        if (isBroken && !isMutated(request)) response.statusCode = 503;
      };
    },
  },
])("finds $name, with the case that caused it or those in progress, as a file", async ({ kind, fault }) => {
  const printed: string[] = [];
  const target = await startSubstitute(fault);
  const options = optionsOf({ routes: substituteRoutes, cases: first(150), print: (line) => void printed.push(line) });
  const { findings } = await fuzz(target, options);
  expect(new Set(findings.map((finding) => finding.kind))).toEqual(new Set([kind]));
  const cases = findings.flatMap((finding) => finding.cases);
  expect(cases.every(({ file }) => existsSync(file))).toBe(true);
  expect(printed.join("\n")).toContain(`npm run fuzz -- --seed 1 --case ${cases[0]?.number}`);
});

const tenRounds = { routes: substituteRoutes, cases: first(100), measureEvery: 10 };

it("finds growth of the memory that a process retains, and none of memory that is used for a moment or is resident only", async () => {
  const leaking = await startSubstitute((substitute) => {
    let requests = 0;
    substitute.retainedMb = () => 50 + requests / 2;
    return () => void (requests += 1);
  });
  const busy = await startSubstitute((substitute) => {
    let measurements = 0;
    substitute.retainedMb = () => ((measurements += 1) % 2 === 0 ? 50 : 50 + 10 * measurements);
    return () => void (substitute.residentMb = Math.min(900, substitute.residentMb + 2));
  });
  const reports = await Promise.all([fuzz(leaking, optionsOf(tenRounds)), fuzz(busy, optionsOf(tenRounds))]);
  expect(reports.map(({ findings }) => findings.map(({ detail }) => detail))).toEqual([
    [expect.stringMatching(/^retained MiB of web grew from \d+ to \d+\.$/)],
    [],
  ]);
});

it("finds a process with too much resident memory", async () => {
  const large = await startSubstitute((substitute) => () => void (substitute.residentMb = 1_001));
  const { findings } = await fuzz(large, optionsOf({ routes: substituteRoutes, cases: first(20) }));
  expect(findings.map(({ detail }) => detail)).toEqual(["The process web has more than 1000 MiB."]);
});

it("measures what a process retains, without its garbage", async () => {
  const code = `
    let kept = [Buffer.alloc(32 * 2 ** 20), Array.from({ length: 4 * 2 ** 20 }, Math.random)];
    process.stdin.once("data", () => { kept = null; console.log("released"); });
    console.log("ready");`;
  const child = spawn(process.execPath, [memoryReportOption, "-e", code], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const before = await measureRetainedMb(child.pid ?? 0);
  child.stdin.write("release");
  await once(child.stdout, "data");
  const releasedMb = before - (await measureRetainedMb(child.pid ?? 0));
  expect(releasedMb).toBeGreaterThan(60);
  expect(releasedMb).toBeLessThan(68);
});

it("ends a case whose stream never pauses", async () => {
  const { port } = await startSubstitute(() => (request, response) => {
    response.write("event");
    const timer = setInterval(() => response.write("event"), 50);
    request.socket.once("close", () => clearInterval(timer));
  });
  const parts = [Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n")];
  const received = await sendWire(port, { parts, ending: "read" }, { maxMs: 500 });
  expect(received).toMatchObject([{ status: 200, body: expect.stringContaining("eventevent") }]);
});

const requestWithSensitive: FuzzRoute["request"] = (_, { host }) =>
  jsonRequest(
    { method: "POST", target: "/", headers: [["Host", host]] },
    { visitors: { [sensitive]: "a".repeat(99) } },
  );
const isCut = ({ wire }: FuzzCase) => !wire.parts.some((part) => part.includes(sensitive));

it("knows whether a case has the sensitive value, which its own response may show, even if chunks cut it", async () => {
  const { values } = await startSubstitute(() => () => {});
  const plan = { seed: 1, routes: [{ name: "POST /", request: requestWithSensitive }], values };
  const cases = first(5_000).map((number) => makeCase(plan, number));
  const complete = cases.filter(({ mutations }) => mutations.length === 0);
  expect(complete.filter(isCut).length).toBeGreaterThan(5);
  expect(complete.filter(({ hasSensitive }) => !hasSensitive)).toEqual([]);
});

it("finds a fault again by the seed and the number of its case alone, with the same bytes", async () => {
  const target = await startSubstitute(answers500);
  const { findings } = await fuzz(target, optionsOf({ routes: substituteRoutes, cases: first(150) }));
  const [found] = findings.flatMap(({ cases }) => cases);
  const again = await fuzz(target, optionsOf({ routes: substituteRoutes, cases: [found?.number ?? 0] }));
  const [repeated] = again.findings.flatMap(({ cases }) => cases);
  expect(repeated).toEqual({ ...found, file: repeated?.file });
  expect(readFileSync(repeated?.file ?? "")).toEqual(readFileSync(found?.file ?? ""));
});

it("a substitute without a fault has no findings", async () => {
  const target = await startSubstitute(() => () => {});
  const report = await fuzz(target, optionsOf({ routes: substituteRoutes, cases: first(150) }));
  expect(report.findings).toEqual([]);
});
