import { statSync } from "node:fs";
import { Failure } from "../terminal/failure.ts";

/** Throws a Failure where the project's folder is not there. */
export function requireProject(projectDir: string): void {
  if (statSync(projectDir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new Failure(`There is no folder ${projectDir}.`, {
    code: "no_project",
    fix: "Give the folder of the project with --project, or make one with `signalbox init <dir>`.",
  });
}
