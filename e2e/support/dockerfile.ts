import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import picomatch from "picomatch";

/** As much of a Dockerfile as ours has: stages of instructions, with lines that continue after a backslash. */
export interface Stage {
  /** All instructions, in their order. */
  steps: { name: string; rest: string }[];
  env: Record<string, string>;
  /** Programs and their arguments. */
  cmd: string[];
  healthcheck: string[];
  user: string | null;
}

export function readDockerfile(file: string): Stage[] {
  const lines = readFileSync(file, "utf8")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const stages: Stage[] = [];
  for (const line of lines) {
    const [, name = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === "FROM") stages.push({ steps: [], env: {}, cmd: [], healthcheck: [], user: null });
    const stage = stages.at(-1);
    if (!stage) throw new Error(`${file} begins with ${line}`);
    stage.steps.push({ name, rest });
    if (name === "ENV") for (const [, key = "", value = ""] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[key] = value;
    if (name === "CMD") stage.cmd = JSON.parse(rest) as string[];
    if (name === "HEALTHCHECK") stage.healthcheck = JSON.parse(rest.slice(rest.indexOf("CMD ") + 4)) as string[];
    if (name === "USER") stage.user = rest;
  }
  return stages;
}

/**
 * Executes the instructions of a stage in `to`, which takes the place of `/app`, with the files of the context `from`.
 * Returns the last working directory.
 */
export function buildStage(stage: Stage, p: { from: string; to: string; env: NodeJS.ProcessEnv }): string {
  let cwd = p.to;
  for (const { name, rest } of stage.steps) {
    if (name === "WORKDIR") cwd = workingDirectory(rest, p.to);
    if (name === "COPY") copyIn(rest, { from: p.from, to: cwd });
    if (name === "RUN") execFileSync("sh", ["-c", rest], { cwd, env: p.env, stdio: "pipe" });
  }
  return cwd;
}

/** In a folder that takes the place of `/app`. */
export function workingDirectory(rest: string, app: string): string {
  return rest.replace(/^\/app/, app);
}

/**
 * Copies as `COPY a *.b ./` and `COPY . .` do. Paths in `.dockerignore` are left out; `**` matches any folder. A
 * pattern may match nothing; a file without a pattern must exist.
 */
function copyIn(rest: string, p: { from: string; to: string }): void {
  const ignored = readFileSync(join(p.from, ".dockerignore"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => line.replace(/\/$/, ""));
  const sources = rest
    .split(" ")
    .slice(0, -1)
    .flatMap((source) => (source.includes("*") ? globSync(source, { cwd: p.from }) : [source]));
  for (const source of sources)
    cpSync(join(p.from, source), source === "." ? p.to : join(p.to, source), {
      recursive: true,
      filter: (path) => !ignored.some((pattern) => picomatch.isMatch(relative(p.from, path), pattern, { dot: true })),
    });
}
