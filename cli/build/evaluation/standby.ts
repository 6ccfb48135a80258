import { type ChildProcess, fork } from "node:child_process";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { entryFile } from "../../../server/paths.ts";
import type { EvaluationRequest } from "./protocol.ts";

/** A new process that evaluates the code of one build, in the project's folder. */
export function startEvaluation(projectDir: string): ChildProcess {
  const child = fork(entryFile("evaluate"), [], {
    cwd: projectDir,
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "advanced",
  });
  // The process has just ended; `close` handles its exit.
  child.on("error", () => {});
  return child;
}

/**
 * The evaluating process of the next build, started in advance. Packages such as SDKs take most of the time of an
 * evaluation, so the process has them loaded before a file is saved. The project's own code runs only in the build:
 * each build has a process of its own, without the state of an earlier one.
 */
export interface Standby {
  /** The process for a build. `isWarm`: it has loaded packages before the project's code. */
  take(): { child: ChildProcess; isWarm: boolean };
  /** Starts the process of the next build, unless there is one. It loads these packages: names as built code has them. */
  prepare(packages: readonly string[]): void;
  /** Ends the process, for example because its environment is outdated. */
  discard(): void;
}

/** Starts the process of the first build at once. */
export function createStandby(projectDir: string): Standby {
  let next: { child: ChildProcess; isWarm: boolean; installed: string } | null = null;

  function discard(): void {
    next?.child.kill("SIGKILL");
    next = null;
  }
  function prepare(packages: readonly string[]): void {
    if (next?.child.connected) return;
    const child = startEvaluation(projectDir);
    next = { child, isWarm: packages.length > 0, installed: installedPackages(projectDir) };
    if (packages.length > 0)
      child.send({ type: "load-packages", importer: join(projectDir, ".signalbox"), packages } satisfies Load);
  }
  prepare([]);
  return {
    take() {
      if (next && next.installed !== installedPackages(projectDir)) discard();
      const taken = next?.child.connected ? next : { child: startEvaluation(projectDir), isWarm: false };
      next = null;
      return taken;
    },
    prepare,
    discard,
  };
}

type Load = EvaluationRequest & { type: "load-packages" };

/** Entries that package managers write at the end of each installation, of any name that they use. */
const traces = [
  "package.json",
  "node_modules",
  "node_modules/.package-lock.json",
  "node_modules/.modules.yaml",
  "node_modules/.yarn-state.yml",
  "node_modules/.yarn-integrity",
];

/** Differs after packages were installed, in the project or in a folder above it. */
function installedPackages(projectDir: string): string {
  const times: number[] = [];
  for (let folder = projectDir; ; folder = dirname(folder)) {
    for (const name of traces) times.push(statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (folder === dirname(folder)) return times.join(" ");
  }
}
