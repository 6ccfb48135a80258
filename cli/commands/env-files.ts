import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { Failure } from "../terminal/failure.ts";

/** Variables from the files of a project (`.env`, `--env-file`), in the environment of this process. */
export interface EnvFiles {
  /**
   * Reads the files again and changes the environment. Returns the names of the variables that changed. Throws a
   * Failure.
   */
  reload(): string[];
  /** Whether this is one of the files. `path` is relative to the project's folder, with `/`. */
  includes(path: string): boolean;
}

/**
 * Loads variables, in the format that Node reads. A variable that is already set keeps its value; later files take
 * precedence over earlier ones. Without `given`, `.env` in the project's folder is loaded if it exists. Throws a
 * Failure if a given file cannot be read.
 */
export function loadEnvFiles(options: {
  projectDir: string;
  cwd: string;
  given: readonly string[];
  env?: NodeJS.ProcessEnv;
}): EnvFiles {
  const { projectDir, cwd, given, env = process.env } = options;
  const files = given.length > 0 ? given.map((file) => resolve(cwd, file)) : [join(projectDir, ".env")];
  const isRequired = given.length > 0;
  let loaded: Record<string, string> = {};
  const readFiles = (): typeof loaded =>
    Object.assign({}, ...files.map((file) => parseEnv(readEnvFile(file, isRequired))));
  // Node itself loads files of --env-file, even if the option follows the name of the script. These variables are ours.
  const byNode = isRequired ? readFiles() : {};
  const wasSet = new Set(Object.keys(env).filter((name) => env[name] !== byNode[name]));

  function reload(): string[] {
    const read = readFiles();
    const next = Object.fromEntries(Object.entries(read).filter(([name]) => !wasSet.has(name)));
    const names = [...new Set([...Object.keys(loaded), ...Object.keys(next)])];
    const changed = names.filter((name) => loaded[name] !== next[name]);
    for (const name of Object.keys(loaded)) if (next[name] === undefined) delete env[name];
    Object.assign(env, next);
    loaded = next;
    return changed;
  }

  reload();
  return {
    reload,
    includes: (path) => files.includes(resolve(projectDir, path)),
  };
}

function readEnvFile(file: string, isRequired: boolean): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" && !isRequired) return "";
    const why = code === "ENOENT" ? "does not exist" : code === "EISDIR" ? "is a folder" : `cannot be read (${code})`;
    throw new Failure(`The file of environment variables ${file} ${why}.`, {
      code: "unreadable_env_file",
      fix: isRequired
        ? "Correct the path in --env-file. It is relative to the current folder."
        : "Make it a readable file with lines such as NAME=value, or remove it.",
      cause,
    });
  }
}
