import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { readSettings } from "../../config.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { RunEndedReport } from "../protocol.ts";
import { type Supervisor, startSupervisor } from "../supervisor.ts";
import { type HarnessWorkflow, type Project, createProject } from "./pool-harness.ts";

const projects: Project[] = [];
const supervisors: Supervisor[] = [];

/** Closes what a test left open. */
export async function closeSupervisors(): Promise<void> {
  await Promise.all(supervisors.splice(0).map((supervisor) => supervisor.close()));
  await Promise.all(projects.splice(0).map((project) => project.remove()));
}

/** A whole service in the test's own process, but for its web and worker processes. */
export async function startTestSupervisor(workflows: Record<string, HarnessWorkflow>, port = 0, more: NodeJS.ProcessEnv = {}) {
  const project = await createProject(workflows);
  projects.push(project);
  const env = { PATH: process.env["PATH"], SIGNALBOX_SECRET: "0123456789abcdef0123456789abcdef", ...more };
  const settings = readSettings({ projectDir: project.dir, mode: "development", fromProject: {}, flags: { port }, env });
  const notices: string[] = [];
  const ended: RunEndedReport[] = [];
  const supervisor = await startSupervisor({
    settings,
    env,
    reporter: { delivery() {}, runEnded: (run) => ended.push(run), notice: (_, message) => notices.push(message) },
    logger: silentLogger,
  });
  supervisors.push(supervisor);
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${supervisor.url}/api/v1${path}`, { method, headers: { "content-type": "application/json" }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    return { status: response.status, json: z.looseObject({ runId: z.string().optional(), id: z.string().optional() }).parse(await response.json()) };
  };
  const startRun = async (slug: string): Promise<string> => {
    const { json } = await call("POST", `/workflows/${slug}/runs`, {});
    return json.runId ?? json.id ?? "";
  };
  /** Throws unless there is one. */
  const webPid = (): number => {
    const [web, ...others] = children().filter(({ pid, command }) => command.includes("/web.js") && environmentOf(pid).includes(project.dir));
    if (!web || others.length > 0) throw new Error(`there are ${others.length + (web ? 1 : 0)} web processes`);
    return web.pid;
  };
  return { supervisor, project, notices, ended, call, startRun, webPid };
}

/** Processes of Signalbox that this one has started and that still are. */
export function children(): { pid: number; command: string }[] {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" }).split("\n").flatMap((line) => {
    const [, pid, parent, state, command = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === process.pid && !state?.startsWith("Z") && /dist\/(web|worker)\.js/.test(command) ? [{ pid: Number(pid), command }] : [];
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
