import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

export interface ServiceOptions {
  /** The folder of the project that `writeBenchProject` wrote. */
  folder: string;
  command?: "start" | "dev";
  /** Default: a free port. */
  port?: number;
  /** For Node itself, e.g. `--cpu-prof`; every process of the service gets it. */
  nodeOptions?: string | undefined;
  /** Further options of the command. */
  args?: readonly string[];
  /** Settings, for example of the store. */
  env?: NodeJS.ProcessEnv;
}

export interface Service {
  /** `POST` goes here, with the key in it. */
  urlOf(endpoint: string): string;
  origin: string;
  token: string;
  folder: string;
  child: ChildProcess;
  /** Sends SIGTERM, and waits until all its processes have ended. */
  stop(): Promise<void>;
}

/** The launcher as npm installed it, or as it is in the linked checkout: there it runs the sources. */
function programOf(folder: string): string[] {
  return [process.execPath, realpathSync(join(folder, "node_modules/signalbox/bin/signalbox.cjs"))];
}

/** Makes the project run from the sources of a checkout. */
export function linkCheckout(folder: string, checkout: string): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(join(checkout, "node_modules/zod"), join(folder, "node_modules/zod"));
  symlinkSync(checkout, join(folder, "node_modules/signalbox"));
}

/** `signalbox build`, then `signalbox start` with a webhook key, on a free port. */
export async function startSignalbox(options: ServiceOptions): Promise<Service> {
  const { folder, command = "start", env } = options;
  if (command === "start") runSignalbox(folder, ["build"], env);
  const child = launch(options);
  const origin = await untilReady(folder, child);
  const url = new URL(runSignalbox(folder, ["triggers", "url", "queued"], env).trim());
  const token = url.searchParams.get("token") ?? "";
  return {
    origin,
    token,
    folder,
    child,
    urlOf: (endpoint) => `${origin}/triggers/${endpoint}${token ? `?token=${token}` : ""}`,
    stop: () => stopProcess(child),
  };
}

/** Starts it and does not wait. It logs to a file, as under a process manager. */
export function launch({
  folder,
  command = "start",
  port = 0,
  nodeOptions,
  args: options = [],
  env: settings = {},
}: ServiceOptions): ChildProcess {
  rmSync(join(folder, ".signalbox/server.json"), { force: true });
  const [program = "", ...args] = programOf(folder);
  const log = openSync(join(folder, "service.log"), "a");
  const child = spawn(program, [...args, command, "--project", folder, "--port", String(port), ...options], {
    cwd: folder,
    env: {
      ...cleanEnvironment(),
      SIGNALBOX_HOST: "127.0.0.1",
      ...settings,
      ...(nodeOptions ? { NODE_OPTIONS: nodeOptions } : {}),
    },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const kill = () => void child.kill();
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return child;
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

/** Runs one command, and returns its output. */
export function runSignalbox(folder: string, args: string[], env: NodeJS.ProcessEnv = {}): string {
  const [program = "", ...before] = programOf(folder);
  return execFileSync(program, [...before, ...args, "--project", folder], {
    cwd: folder,
    env: { ...cleanEnvironment(), ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** The environment of the benchmark must not change its results. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(SIGNALBOX_|PORT$|HOST$|NODE_ENV$|NODE_OPTIONS$)/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
    SIGNALBOX_PAGES: "built",
  };
}

async function untilReady(folder: string, child: ChildProcess): Promise<string> {
  const file = join(folder, ".signalbox/server.json");
  const deadline = performance.now() + 60_000;
  while (!existsSync(file)) {
    if (child.exitCode !== null)
      throw new Error(`signalbox ended with ${child.exitCode}; see ${join(folder, "service.log")}`);
    if (performance.now() > deadline) throw new Error("signalbox was not ready within a minute");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return (JSON.parse(readFileSync(file, "utf8")) as { url: string }).url;
}
