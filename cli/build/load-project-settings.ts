import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseProjectSettings } from "../../server/config.ts";
import { SettingsError } from "../../server/config/environment.ts";
import type { ProjectSettings } from "../../server/contract/project/settings.ts";
import { bundleFile } from "./bundle/bundle.ts";
import { explainUnresolved } from "./diagnostics/unresolved-import.ts";
import { prepareStateFolder } from "./state-folder.ts";

const names = ["signalbox.config.ts", "signalbox.config.mts", "signalbox.config.js", "signalbox.config.mjs"];

/** The settings file of a project; `null` when it has none. Throws SettingsError when it has several. */
export function findSettingsFile(projectDir: string): string | null {
  const [first, second] = names.filter((name) => existsSync(join(projectDir, name)));
  if (first !== undefined && second !== undefined)
    throw new SettingsError(`Both ${first} and ${second} exist. Keep one of them.`);
  return first ?? null;
}

/** The settings of `signalbox.config.ts`; `{}` without one. Throws SettingsError, whose message is one line. */
export async function loadProjectSettings(projectDir: string, timeoutMs = 10_000): Promise<ProjectSettings> {
  const root = resolve(projectDir);
  const file = findSettingsFile(root);
  if (file === null) return {};
  const exported = await evaluateSettings(root, file, timeoutMs);
  if (exported === undefined)
    throw new SettingsError(`${file} has no default export. Write \`export default defineConfig({ ... })\`.`);
  return parseProjectSettings(exported, file);
}

async function evaluateSettings(projectDir: string, file: string, timeoutMs: number): Promise<unknown> {
  const stateDir = await prepareStateFolder(projectDir);
  const folder = join(stateDir, `settings-${process.pid}`);
  const bundle = await bundleFile({ projectDir, outDir: folder, file });
  if (!bundle.ok) {
    const [error] = bundle.errors;
    const location = error?.location
      ? `${error.location.file}:${error.location.line}:${error.location.column + 1}`
      : file;
    const problem = error && (explainUnresolved(error, projectDir)?.title ?? error.text);
    throw new SettingsError(`${location}: ${problem ?? "cannot be bundled"}`);
  }
  const code = bundle.files.find(({ path }) => path.endsWith(".mjs"))?.contents ?? new Uint8Array();
  // Named by its hash, so that a process loads the same settings once.
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 12);
  const module = join(folder, `${hash}.mjs`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(module, code);
    const loaded: { default?: unknown } | null = await within(
      timeoutMs,
      import(/* @vite-ignore */ pathToFileURL(module).href),
    );
    if (!loaded)
      throw new SettingsError(`${file} does not finish loading. Find the top-level await that does not end.`);
    return loaded.default;
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError(`${file} throws an error while it loads: ${reason.split("\n", 1)[0]}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `null` after the time limit. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T | null> {
  const { promise: over, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), timeoutMs);
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}
