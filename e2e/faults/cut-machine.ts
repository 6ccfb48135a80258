import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { z } from "zod";
import { cliFile, writeProject } from "../support/project.ts";
import { cleanEnvironment } from "../../scripts/clean-environment.ts";
import { signalbox } from "../support/service.ts";
import type { Cut } from "./cut-network.ts";

/**
 * A workflow of consecutive steps: one, or as many as fit until the test ends. Each step writes to a file when it
 * begins, and on which machine.
 */
const files = {
  "signalbox.config.ts": `import { defineConfig } from "signalbox/config";\nexport default defineConfig({ workers: 1 });`,
  "workflows/walk.ts": `
    import { appendFileSync, existsSync } from "node:fs";
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "walk",
      input: z.object({ n: z.number(), isLong: z.boolean() }),
      timeout: "30m",
      async run({ n, isLong }, ctx) {
        for (let step = 0; step === 0 || (isLong && !existsSync(process.env["EFFECTS"] + ".enough")); step += 1) await ctx.step("step " + step, async () => {
          appendFileSync(process.env["EFFECTS"], JSON.stringify({ at: Date.now(), machine: process.env["MACHINE"], n, step }) + "\\n");
          await new Promise((resolve) => setTimeout(resolve, 200));
        });
      },
    });`,
  "triggers/walks.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import walk from "../workflows/walk";
    export default defineWebhookSource({ slug: "walks", endpoint: "walks", request: z.object({ n: z.number(), isLong: z.boolean() }) }).attach({ workflow: walk });`,
};

const effectSchema = z.object({ at: z.number(), machine: z.string(), n: z.number(), step: z.number() });
type Effect = z.infer<typeof effectSchema>;

export interface Platform {
  projectDir: string;
  key: string;
  env: NodeJS.ProcessEnv;
  /** All steps that began, on any machine, in order. */
  effects(): Effect[];
  /** Ends all long workflows. */
  enough(): void;
}

/** A project, built, and a key for it, in the database that `url` names. */
export function preparePlatform(url: string): Platform {
  const projectDir = writeProject(files);
  const effectsFile = join(projectDir, "effects.log");
  const env = {
    SIGNALBOX_DATABASE_URL: url,
    SIGNALBOX_SECRET: "of all machines, the same for each",
    EFFECTS: effectsFile,
    SIGNALBOX_HOST: "127.0.0.1",
  };
  for (const args of [["build"], ["keys", "create", "--name", "cut", "--json"]]) {
    const { status, stdout, stderr } = signalbox(args, { cwd: projectDir, env });
    if (status !== 0) throw new Error(`signalbox ${args.join(" ")} ended with ${status}: ${stderr}`);
    if (args[0] === "keys")
      return {
        projectDir,
        env,
        key: z.object({ secret: z.string() }).parse(JSON.parse(stdout)).secret,
        effects: () => readEffects(effectsFile),
        enough: () => writeFileSync(`${effectsFile}.enough`, ""),
      };
  }
  throw new Error("There is no key.");
}

function readEffects(file: string): Effect[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => effectSchema.parse(JSON.parse(line)));
}

export interface CutMachine {
  /** The local address of its web process. Empty for workers. */
  url: string;
  output(): string;
  stop(): Promise<void>;
}

/** One machine of the platform. With `way`, it reaches the database only through it. Resolves when it is ready. */
export async function startMachine(
  platform: Platform,
  p: { name: string; role: "web" | "worker"; database: string; way?: Cut },
): Promise<CutMachine> {
  const projectDir = join(platform.projectDir, "machines", p.name);
  mkdirSync(join(projectDir, ".."), { recursive: true });
  for (const part of ["package.json", "signalbox.config.ts", "workflows", "triggers", "node_modules", ".signalbox"])
    cpSync(join(platform.projectDir, part), join(projectDir, part), { recursive: true, verbatimSymlinks: true });
  const role = p.role === "web" ? ["start", "--role", "web", "--port", "0"] : ["worker"];
  const [program = "", ...args] = [
    ...(p.way?.prefix ?? []),
    process.execPath,
    cliFile,
    ...role,
    "--project",
    projectDir,
  ];
  const child = spawn(program, args, {
    cwd: projectDir,
    env: { ...cleanEnvironment(), ...platform.env, SIGNALBOX_DATABASE_URL: p.database, MACHINE: p.name },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (!hasEnded()) child.kill("SIGTERM");
    const killer = setTimeout(() => hasEnded() || process.kill(-(child.pid ?? 0), "SIGKILL"), 20_000);
    await exited;
    clearTimeout(killer);
  };
  onTestFinished(stop);
  await vi.waitFor(
    () => {
      if (hasEnded()) throw new Error(`${p.name} has ended:\n${output}`);
      if (!/"msg":"(ready|working)"/.test(output)) throw new Error(`${p.name} is not ready:\n${output}`);
    },
    { interval: 50 },
  );
  return { url: /"url":"([^"]+)"/.exec(output)?.[1] ?? "", output: () => output, stop };
}

const answerSchema = z.object({ status: z.number(), ms: z.number(), retryAfter: z.string().nullable() });
const askCode = `
  const [url, method, key, body] = process.argv.slice(1);
  const began = performance.now();
  const response = await fetch(url, { method, headers: { "content-type": "application/json", "x-api-key": key }, ...(body ? { body } : {}), signal: AbortSignal.timeout(60_000) });
  await response.text();
  console.log(JSON.stringify({ status: response.status, ms: performance.now() - began, retryAfter: response.headers.get("retry-after") }));`;

/** Sends the request from the machine's network, because no other can reach it. */
export async function ask(
  way: Cut | null,
  p: { url: string; key: string; body?: object },
): Promise<z.infer<typeof answerSchema>> {
  const [program = "", ...args] = [
    ...(way?.prefix ?? []),
    process.execPath,
    "--input-type=module",
    "-e",
    askCode,
    "--",
    p.url,
    p.body ? "POST" : "GET",
    p.key,
    p.body ? JSON.stringify(p.body) : "",
  ];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.once("close", resolve));
  return answerSchema.parse(JSON.parse(text));
}
