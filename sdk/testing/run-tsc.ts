import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

const tsc = join(import.meta.dirname, "../../node_modules/typescript/lib/tsc.js");

export interface CompilerError {
  /** Absolute path. */
  file: string;
  line: number;
  column: number;
  /** With the lines that explain it. */
  message: string;
}

/**
 * Runs the compiler on a tsconfig, and returns its errors. Throws if it printed anything that is not an error in a
 * file.
 */
export function runTsc(project: string, args: readonly string[] = []): CompilerError[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, [tsc, "-p", project, "--pretty", "false", ...args], {
    encoding: "utf8",
  });
  const errors: CompilerError[] = [];
  for (const line of stdout.split("\n")) {
    const [, file, number, column, message] = /^(\S[^(]*)\((\d+),(\d+)\): error (.*)$/.exec(line) ?? [];
    const last = errors.at(-1);
    if (file && number && message)
      errors.push({ file: resolve(file), line: Number(number), column: Number(column), message });
    else if (line.startsWith(" ") && last) last.message += `\n${line}`;
    else if (line.trim() !== "") throw new Error(`tsc says: ${line}`);
  }
  if (stderr !== "" || (status !== 0 && errors.length === 0)) throw new Error(`tsc ended with ${status}: ${stderr}`);
  return errors;
}
