import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../contract/project/manifest.ts";
import type { Builds, KeptBuild } from "../ports/builds.ts";
import { loadSources } from "./project-reader.ts";
import { buildManifestFile, listKeptVersions, parseManifest, ProjectError, readManifest } from "./read-manifest.ts";
import { writeCurrent } from "./write-manifest.ts";

export function createBuilds(stateDir: string): Builds {
  async function readKept(version: string): Promise<Manifest> {
    // The version comes from a request, and becomes part of a path.
    if (!(await listKeptVersions(stateDir)).includes(version))
      throw new ProjectError(`There is no build ${version} in ${join(stateDir, "builds")}.`);
    const file = buildManifestFile(stateDir, version);
    return parseManifest(await readFile(file, "utf8"), file);
  }
  const read = (version: string) => readKept(version).catch(() => null);

  return {
    read,
    async list() {
      const [current, versions] = await Promise.all([readManifest(stateDir), listKeptVersions(stateDir)]);
      const manifests = await Promise.all(versions.map(read));
      return manifests
        .filter((manifest) => manifest !== null)
        .map(({ version, builtAt }): KeptBuild => {
          const isCurrent = version === current?.version;
          // The current build may repeat an older one.
          return { id: version, builtAt: isCurrent ? current.builtAt : builtAt, isCurrent };
        })
        .sort(byAge);
    },
    async loadSources(version) {
      const manifest = await read(version);
      return manifest && (await loadSources(stateDir, manifest));
    },
    async makeCurrent(version) {
      const manifest = await readKept(version);
      await loadSources(stateDir, manifest);
      await writeCurrent(stateDir, manifest);
    },
  };
}

function byAge(one: KeptBuild, other: KeptBuild): number {
  const [a, b] = [`${other.builtAt} ${other.id}`, `${one.builtAt} ${one.id}`];
  return a < b ? -1 : a > b ? 1 : 0;
}

// ---- old builds ----

/** Starts the name of the folder of an unfinished build or copy. */
export const draftPrefix = ".draft-";
const maxOldBuilds = 5;
const draftsKeptMs = 3_600_000;

/**
 * Removes old builds, and drafts that were left behind, from a folder with builds. The current build, the newest others
 * and those that are needed are kept. `readNeeded` is called only if a build is to be removed. Returns the versions of
 * the removed builds.
 */
export async function removeOldBuilds(
  folder: string,
  { current, readNeeded }: { current: string; readNeeded: () => Promise<ReadonlySet<string>> },
): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const aged = await Promise.all(
    names.map(async (name) => ({
      name,
      // Another process may have removed it.
      modifiedAt: await stat(join(folder, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    })),
  );
  const left = aged.filter((one) => isDraft(one) && one.modifiedAt < Date.now() - draftsKeptMs);
  const old = aged
    .filter((one) => !isDraft(one) && one.name !== current)
    .sort((a, b) => b.modifiedAt - a.modifiedAt)
    .slice(maxOldBuilds);
  const needed = old.length > 0 ? await readNeeded() : new Set<string>();
  const obsolete = old.filter(({ name }) => !needed.has(name));
  for (const { name } of [...obsolete, ...left]) await rm(join(folder, name), { recursive: true, force: true });
  return obsolete.map(({ name }) => name);
}

function isDraft({ name }: { name: string }): boolean {
  return name.startsWith(draftPrefix);
}
