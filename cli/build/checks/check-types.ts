import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { z } from "zod";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { ProjectFiles } from "../project-files.ts";

/**
 * Starts the check of types, which runs beside the bundling. A project that cannot be bundled is not checked to the
 * end. Without `isWanted`, there are no errors.
 */
export function startTypeCheck(options: {
  projectDir: string;
  files: ProjectFiles;
  isWanted: boolean;
  signal: AbortSignal | undefined;
}): { errors: Promise<Diagnostic[]>; stop(): void } {
  const { projectDir, files, isWanted } = options;
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, ...(options.signal ? [options.signal] : [])]);
  const errors = isWanted ? checkTypes(projectDir, { files, signal }) : Promise.resolve([]);
  // A stopped check rejects, and no code waits for it then.
  errors.catch(() => {});
  return { errors, stop: () => stopping.abort() };
}

/** Runs the project's own TypeScript on its tsconfig.json, and returns the errors. */
export async function checkTypes(
  projectDir: string,
  { files, signal }: { files: ProjectFiles; signal?: AbortSignal | undefined },
): Promise<Diagnostic[]> {
  if (!existsSync(join(projectDir, "tsconfig.json")))
    return [files.diagnose({ code: "missing_tsconfig", title: "There is no tsconfig.json", at: null })];
  const compiler = findCompiler(projectDir);
  if (compiler === null)
    return [files.diagnose({ code: "missing_typescript", title: "TypeScript is not installed", at: null })];
  const { output, exitCode } = await runCompiler(compiler, projectDir, signal);
  const errors = parseErrors(output);
  if (errors.length === 0 && exitCode !== 0)
    return [
      files.diagnose({
        code: "type_error",
        title: `tsc ended with ${exitCode ?? "a signal"}`,
        at: null,
        ...(output !== "" && { text: output.trim() }),
      }),
    ];
  return errors.map((error) => toDiagnostic(error, { projectDir, files }));
}

/** The script of `tsc` that Node would find from the project's folder. */
function findCompiler(projectDir: string): string | null {
  const folder = join(projectDir, "node_modules", "typescript");
  const manifest = join(folder, "package.json");
  if (existsSync(manifest)) {
    const { bin } = z.object({ bin: z.object({ tsc: z.string() }) }).parse(JSON.parse(readFileSync(manifest, "utf8")));
    return join(realpathSync(folder), bin.tsc);
  }
  const parent = dirname(projectDir);
  return parent === projectDir ? null : findCompiler(parent);
}

function runCompiler(
  compiler: string,
  projectDir: string,
  signal: AbortSignal | undefined,
): Promise<{ output: string; exitCode: number | null }> {
  return new Promise((done, fail) => {
    const tsc = spawn(process.execPath, [compiler, "-p", ".", "--noEmit", "--pretty", "false"], {
      cwd: projectDir,
      stdio: ["ignore", "pipe", "pipe"],
      ...(signal && { signal }),
    });
    let output = "";
    for (const stream of [tsc.stdout, tsc.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    tsc.on("error", fail);
    tsc.on("close", (exitCode) => done({ output, exitCode }));
  });
}

interface CompilerError {
  /** As the compiler prints it: relative to the project. `null`: the error is about the configuration as a whole. */
  at: { file: string; line: number; column: number } | null;
  code: string;
  message: string;
  /** Indented lines that explain the message. */
  details: string[];
}

/** `lib/a.ts(3,7): error TS2322: …`, or `error TS5083: …`, each with indented lines after it. */
function parseErrors(output: string): CompilerError[] {
  const errors: CompilerError[] = [];
  for (const line of output.split(/\r?\n/)) {
    const [, file, number, column, code, message] =
      /^(?:(\S.*?)\((\d+),(\d+)\): )?error (TS\d+): (.*)$/.exec(line) ?? [];
    if (code !== undefined && message !== undefined) {
      const at = file === undefined ? null : { file, line: Number(number), column: Number(column) };
      errors.push({ at, code, message, details: [] });
    } else if (line.startsWith(" ")) errors.at(-1)?.details.push(line.slice(2));
  }
  return errors;
}

function toDiagnostic(
  { at, code, message, details }: CompilerError,
  { projectDir, files }: { projectDir: string; files: ProjectFiles },
): Diagnostic {
  const file = at && relative(projectDir, resolve(projectDir, at.file)).replaceAll("\\", "/");
  return files.diagnose({
    code: "type_error",
    title: `${file ?? "tsconfig.json"} › ${message} (${code})`,
    at: at && file !== null ? { ...at, file } : null,
    ...(details.length > 0 && { text: details.join("\n") }),
  });
}
