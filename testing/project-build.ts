import { existsSync, statSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { buildForTests } from "../cli/build/build-project.ts";
import { renderDiagnostics } from "../cli/build/diagnostics/diagnostic.ts";
import { findSettingsFile } from "../cli/build/load-project-settings.ts";
import { discover } from "../cli/build/project-files.ts";
import { packageVersion } from "../server/paths.ts";
import { stateDirOf } from "../server/config.ts";
import type { Manifest } from "../server/contract/project/manifest.ts";
import type { ProjectCode, ProjectSources } from "../server/ports/project.ts";
import { loadCode } from "../server/project/load-code.ts";
import { loadSources } from "../server/project/project-reader.ts";
import { parseManifest } from "../server/project/read-manifest.ts";

/** The build of a project, with the two parts of its code. */
export interface LoadedBuild {
  manifest: Manifest;
  sources: ProjectSources;
  code: ProjectCode;
}

/** Builds the project, unless an earlier test built the same files. Throws an Error with the diagnostics. */
export async function loadBuild(projectDir: string): Promise<LoadedBuild> {
  const stateDir = stateDirOf(projectDir);
  const manifest = (await findBuild(projectDir, stateDir)) ?? (await build(projectDir, stateDir));
  const sources = await withTestSecrets(manifest, () => loadSources(stateDir, manifest));
  return { manifest, sources, code: loadCode(stateDir, manifest) };
}

async function build(projectDir: string, stateDir: string): Promise<Manifest> {
  const built = await buildForTests({ projectDir });
  if (!built.ok)
    throw new Error(`The project does not build.\n\n${renderDiagnostics(built.diagnostics, { color: false })}`);
  const record: BuildRecord = {
    signalbox: packageVersion(),
    folder: built.manifest.folder,
    definitions: await listDefinitions(projectDir),
    inputs: stampsOf(projectDir, [...built.inputs, ...otherInputs(projectDir)]),
  };
  const file = recordFile(stateDir);
  const draft = `${file}.${process.pid}-${randomBytes(4).toString("hex")}`;
  await writeFile(draft, JSON.stringify(record));
  await rename(draft, file);
  return built.manifest;
}

// ---- builds of earlier tests ----

/** The last build of tests, and the files that it depends on. */
const buildRecordSchema = z.object({
  /** The version of Signalbox. */
  signalbox: z.string(),
  folder: z.string(),
  definitions: z.array(z.string()),
  /** Path in the project → time of change and size; `null`: it does not exist. */
  inputs: z.record(z.string(), z.string().nullable()),
});

type BuildRecord = z.infer<typeof buildRecordSchema>;

const recordFile = (stateDir: string) => join(stateDir, "tests.json");

/** `null`: there is none, or a file has changed since. */
async function findBuild(projectDir: string, stateDir: string): Promise<Manifest | null> {
  const text = await readFile(recordFile(stateDir), "utf8").catch(() => null);
  const record = text === null ? null : (buildRecordSchema.safeParse(parse(text)).data ?? null);
  if (!record || record.signalbox !== packageVersion()) return null;
  const definitions = await listDefinitions(projectDir);
  if (definitions.join("\n") !== record.definitions.join("\n")) return null;
  const current = stampsOf(projectDir, Object.keys(record.inputs));
  if (Object.entries(record.inputs).some(([path, stamp]) => current[path] !== stamp)) return null;
  const file = join(stateDir, record.folder, "manifest.json");
  return existsSync(file) ? parseManifest(await readFile(file, "utf8"), file) : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function listDefinitions(projectDir: string): Promise<string[]> {
  return Object.values(await discover(projectDir)).flat();
}

/** Files that the build reads, besides the code of the project. */
function otherInputs(projectDir: string): string[] {
  const settings = findSettingsFile(projectDir);
  return ["package.json", "package-lock.json", "tsconfig.json", ...(settings === null ? [] : [settings])];
}

function stampsOf(projectDir: string, paths: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(
    paths
      // Files of the Signalbox package and of its bundles have a prefix.
      .filter((path) => !/^[\w-]{2,}:/.test(path))
      .map((path) => {
        const stats = statSync(join(projectDir, path), { throwIfNoEntry: false });
        return [path, stats ? `${stats.mtimeMs} ${stats.size}` : null];
      }),
  );
}

// ---- secrets ----

/** Long enough for every scheme, and base64 after its prefix, which some require. */
const testSecret = "whsec_c2VjcmV0IG9mIGEgdGVzdCBwcm9qZWN0";

/** Sets the secrets of `verify` that are unset while the triggers are loaded, so that tests can sign requests. */
async function withTestSecrets<T>({ environment }: Manifest, load: () => Promise<T>): Promise<T> {
  const unset = environment.secrets.map(({ name }) => name).filter((name) => !process.env[name]);
  for (const name of unset) process.env[name] = testSecret;
  try {
    return await load();
  } finally {
    for (const name of unset) delete process.env[name];
  }
}
