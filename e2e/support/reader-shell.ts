import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { cleanEnvironment } from "../../scripts/clean-environment.ts";
import { cliFile, repository } from "./project.ts";

/**
 * Executes lines of the documentation as a reader does, in a project: with the package installed, and with the service
 * at `url` in place of `http://127.0.0.1:3002`. A line that fails throws an error with its output.
 */
export function createReaderShell(projectDir: string): (lines: string, url: string) => string {
  symlinkSync(repository, join(projectDir, "node_modules/signalbox"));
  const programs = join(projectDir, "node_modules/.programs");
  mkdirSync(programs, { recursive: true });
  const run = `exec "${process.execPath}" "${cliFile}" "$@"\n`;
  for (const [name, script] of Object.entries({ npx: `shift\n${run}`, signalbox: run })) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}`);
    chmodSync(join(programs, name), 0o755);
  }
  symlinkSync(process.execPath, join(programs, "node"));
  const env = { ...cleanEnvironment(), PATH: `${programs}${delimiter}${process.env["PATH"]}` };
  return (lines, url) => {
    const script = `set -e\n${lines.replaceAll("http://127.0.0.1:3002", url)}`;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", script], { cwd: projectDir, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${lines} ended with ${status}:\n${stdout}${stderr}`);
    return stdout;
  };
}
