import { statSync } from "node:fs";
import { Failure } from "../terminal/failure.ts";

/** Throws a Failure if the project's folder does not exist. */
export function requireProject(projectDir: string): void {
  if (statSync(projectDir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new Failure(`The folder ${projectDir} does not exist.`, {
    code: "no_project",
    fix: "Set the folder of the project with --project, or create a project with `signalbox init <dir>`.",
  });
}
