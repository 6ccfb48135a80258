import { readFile } from "node:fs/promises";
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
