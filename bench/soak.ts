// Measures whether the service grows:
//
//     node bench/soak.ts [--minutes 120] [--rate 200] [--program dist/cli.js] [--out samples.jsonl]
//
// Sends webhooks at a steady rate, reads lists, and keeps a live page open. It samples memory, descriptors and files.
// The exit code is 1 if a response was unexpected, a run has not ended, or a number grew.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { isOpenSql } from "../server/store/sqlite/stored-forms.ts";
import { packageRoot } from "../server/paths.ts";
import { findGrowth } from "./soak/find-growth.ts";
import { type Sample, sampleProcesses, sizeMb } from "./soak/sample.ts";
import { soakRequest, writeSoakProject } from "./soak/soak-project.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "120" },
    rate: { type: "string", default: "200" },
    program: { type: "string", default: join(packageRoot, "cli/main.ts") },
    out: { type: "string" },
  },
});
const [minutes, rate, program] = [Number(values.minutes), Number(values.rate), resolve(values.program)];
const dir = mkdtempSync(join(tmpdir(), "signalbox-soak-"));
const database = join(dir, ".signalbox/signalbox.db");
const log = join(dir, "service.log");
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const answers = new Map<string, number>();
const count = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1);

writeSoakProject(dir);
signalbox("build");
const key = secretOf("keys", "create", "--name", "soak");
const token = secretOf("keys", "create", "--name", "soak-reader", "--api", "--scope", "admin");
const child = spawn(process.execPath, [program, "start", "--project", dir, "--port", "0"], {
  cwd: dir,
  detached: true,
  stdio: ["ignore", "ignore", openSync(log, "w")],
  env: { ...process.env, SIGNALBOX_PAGES: "built" },
});
const group = child.pid ?? 0;
process.once("exit", () => child.exitCode === null && process.kill(-group, "SIGKILL"));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const url = await untilReady();
const cookie = await signIn();
const reader = new Database(database, { readonly: true });
const countOpen = reader.prepare<[], number>(`SELECT count(*) FROM run WHERE ${isOpenSql}`).pluck();

console.log(`${minutes} minutes of ${rate} webhooks a second on ${url}, ${program}; its log is ${log}`);
console.log(
  "minute   receiver MiB   web MiB  workers MiB  supervisor MiB  descriptors      WAL MiB  database MiB  open runs  answers",
);
const samples = await soak();
const leftOpen = await drain();
child.kill("SIGTERM");
await new Promise((done) => (child.exitCode === null ? child.once("exit", done) : done(null)));
reader.close();
agent.destroy();
report(samples, leftOpen);
rmSync(dir, { recursive: true, force: true });

async function soak(): Promise<Sample[]> {
  const taken: Sample[] = [];
  const began = performance.now();
  const end = began + minutes * 60_000;
  let [sent, sampledAt, readAt, printedAt] = [0, began, began, began];
  void watchLive(end);
  while (performance.now() < end) {
    const due = Math.floor(((performance.now() - began) / 1000) * rate);
    for (; sent < due; sent += 1) send(sent);
    if (performance.now() - readAt > 2_000) {
      readAt += 2_000;
      for (const path of ["/api/v1/runs?limit=50", "/api/v1/deliveries?limit=50", "/deliveries", "/metrics"])
        read(path);
    }
    if (performance.now() - sampledAt > 10_000) {
      sampledAt += 10_000;
      taken.push(take(began));
      if (values.out) appendFileSync(values.out, `${JSON.stringify(taken.at(-1))}\n`);
    }
    if (performance.now() - printedAt > 60_000) {
      printedAt += 60_000;
      print(taken.at(-1));
    }
    await delay(5);
  }
  return taken;
}

function take(began: number): Sample {
  return {
    minute: (performance.now() - began) / 60_000,
    processes: sampleProcesses(group),
    walMb: sizeMb(`${database}-wal`),
    databaseMb: sizeMb(database),
    openRuns: countOpen.get() ?? 0,
  };
}

function send(n: number): void {
  const { path, headers, body, expected } = soakRequest(n, key);
  const outgoing = request(`${url}${path}`, { method: "POST", agent, headers }, (response) => {
    response.resume();
    count(response.statusCode === expected ? String(expected) : `${response.statusCode} instead of ${expected}`);
  });
  outgoing.on("error", (error: NodeJS.ErrnoException) => count(`no answer (${error.code ?? error.message})`));
  outgoing.end(body);
}

function read(path: string): void {
  const outgoing = request(
    `${url}${path}`,
    {
      agent,
      headers: path.startsWith("/api/") || path === "/metrics" ? { authorization: `Bearer ${token}` } : { cookie },
    },
    (response) => {
      response.resume();
      if (response.statusCode !== 200) count(`${response.statusCode} to GET ${path}`);
    },
  );
  outgoing.on("error", () => count(`no answer to GET ${path}`));
  outgoing.end();
}

/** A person watches one run after the other live. */
async function watchLive(end: number): Promise<void> {
  while (performance.now() < end) {
    const runs = await fetch(`${url}/api/v1/runs?limit=1`, { headers: { authorization: `Bearer ${token}` } })
      .then((answer) => answer.json() as Promise<{ data: { id: string }[] }>)
      .catch(() => null);
    const id = runs?.data[0]?.id;
    if (id)
      await fetch(`${url}/api/v1/runs/${id}/events`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(20_000),
      })
        .then((answer) => answer.text())
        .catch(() => "");
    await delay(1_000);
  }
}

/** The number of runs that have not ended a minute after the last webhook. */
async function drain(): Promise<number> {
  for (const giveUpAt = performance.now() + 60_000; performance.now() < giveUpAt && (countOpen.get() ?? 0) > 0;)
    await delay(250);
  return countOpen.get() ?? 0;
}

function print(sample: Sample | undefined): void {
  if (!sample) return;
  const sum = (name: string, of: "rssMb" | "descriptors") =>
    sample.processes
      .filter((process) => process.name === name)
      .map((process) => Math.round(process[of]))
      .join("+");
  const descriptors = ["receiver", "web", "worker", "supervisor"].map((name) => sum(name, "descriptors")).join(" ");
  const said = [...answers].map(([what, times]) => `${what}: ${times}`).join(", ");
  console.log(
    `${sample.minute.toFixed(0).padStart(6)}${sum("receiver", "rssMb").padStart(15)}${sum("web", "rssMb").padStart(10)}${sum("worker", "rssMb").padStart(13)}${sum("supervisor", "rssMb").padStart(16)}${descriptors.padStart(13)}${sample.walMb.toFixed(1).padStart(13)}${sample.databaseMb.toFixed(0).padStart(14)}${String(sample.openRuns).padStart(11)}  ${said}`,
  );
}

function report(taken: readonly Sample[], open: number): void {
  const unexpected = [...answers].filter(([what]) => !/^\d+$/.test(what));
  for (const [what, times] of unexpected) console.log(`UNEXPECTED: ${what}, ${times} times`);
  if (open > 0) console.log(`UNEXPECTED: ${open} runs have not ended`);
  const findings = findGrowth(taken);
  for (const { what, early, late, isGrowth } of findings)
    console.log(`${isGrowth ? "GROWS" : "steady"}: ${what}, ${early.toFixed(1)} early, ${late.toFixed(1)} late`);
  if (unexpected.length > 0 || open > 0 || findings.some(({ isGrowth }) => isGrowth)) process.exitCode = 1;
}

function signalbox(...args: string[]): string {
  const result = spawnSync(process.execPath, [program, ...args, "--project", dir], { cwd: dir, encoding: "utf8" });
  if (result.status !== 0)
    throw new Error(`signalbox ${args.join(" ")} ended with ${result.status}:\n${result.stderr}`);
  return result.stdout;
}

/** Pages require a session. */
async function signIn(): Promise<string> {
  const answer = await fetch(`${url}/api/auth/token`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: url },
    body: new URLSearchParams({ token }),
  });
  return answer.headers
    .getSetCookie()
    .map((set) => set.split(";", 1)[0])
    .join("; ");
}

function secretOf(...args: string[]): string {
  return (JSON.parse(signalbox(...args, "--json")) as { secret: string }).secret;
}

async function untilReady(): Promise<string> {
  const file = join(dir, ".signalbox/server.json");
  for (;;) {
    if (child.exitCode !== null) throw new Error("The service ended before it was ready.");
    if (existsSync(file)) return (JSON.parse(readFileSync(file, "utf8")) as { url: string }).url;
    await delay(50);
  }
}
