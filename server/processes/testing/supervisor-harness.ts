import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { readSettings } from "../../config.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { RunEndedReport } from "../protocol.ts";
import { startSupervisor } from "../supervisor.ts";
import type { HarnessWorkflow, Project } from "./pool-harness.ts";
import { test as poolTest } from "./pool-test.ts";

/** A test whose services are closed when it ends. Safe to run concurrently. */
export const test = poolTest.extend(
  "startService",
  ({ createProject, onEnd }) =>
    async (workflows: Record<string, HarnessWorkflow>, options: ServiceOptions = {}) => {
      const project = await createProject(workflows);
      const started = await startService(project, options);
      onEnd(started.supervisor.close);
      return started;
    },
);

export interface ServiceOptions {
  port?: number;
  env?: NodeJS.ProcessEnv;
}

/** A whole service, whose supervisor is the test's own process. */
export async function startService(project: Project, options: ServiceOptions) {
  const env = { PATH: process.env["PATH"], SIGNALBOX_SECRET: "0123456789abcdef0123456789abcdef", ...options.env };
  const settings = readSettings({
    projectDir: project.dir,
    mode: "development",
    fromProject: {},
    flags: { port: options.port ?? 0 },
    env,
  });
  const notices: string[] = [];
  const ended: RunEndedReport[] = [];
  const supervisor = await startSupervisor({
    settings,
    env,
    reporter: { delivery() {}, runEnded: (run) => ended.push(run), notice: (_, message) => notices.push(message) },
    logger: silentLogger,
  });
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${supervisor.url}/api/v1${path}`, {
      method,
      headers: { "content-type": "application/json", connection: "close" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      json: z.looseObject({ runId: z.string().optional(), id: z.string().optional() }).parse(await response.json()),
    };
  };
  const startRun = async (slug: string): Promise<string> => {
    const { json } = await call("POST", `/workflows/${slug}/runs`, {});
    return json.runId ?? json.id ?? "";
  };
  /** Throws unless there is one. */
  const pidOf = (program: "receiver" | "web"): number => {
    const [child, ...others] = childrenOf(project).filter(({ command }) => command.includes(`/${program}.js`));
    if (!child || others.length > 0) throw new Error(`there are ${others.length + (child ? 1 : 0)} of ${program}`);
    return child.pid;
  };
  return { supervisor, project, notices, ended, call, startRun, pidOf };
}

/** The processes of this project that still run. */
export function childrenOf(project: Project): { pid: number; command: string }[] {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => {
      const [, pid, parent, state, command = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
      return Number(parent) === process.pid &&
        !state?.startsWith("Z") &&
        /dist\/(receiver|web|worker)\.js/.test(command) &&
        environmentOf(Number(pid)).includes(project.dir)
        ? [{ pid: Number(pid), command }]
        : [];
    });
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    // It has ended meanwhile.
    return "";
  }
}
