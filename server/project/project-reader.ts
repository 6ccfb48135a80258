import type { FailedBuild } from "../contract/failed-build.ts";
import type { ProjectReader, ProjectSources } from "../ports/project.ts";
import { loadSources } from "./load-sources.ts";
import { ProjectError } from "./project-error.ts";
import { readManifest } from "./read-manifest.ts";

/**
 * The project as loaded by the receiver. `reload` loads the build that `.signalbox/manifest.json` names. If that fails,
 * it throws ProjectError and the old project stays active.
 */
export async function createProjectReader(stateDir: string): Promise<ReloadableProject> {
  let sources = await load(stateDir);
  let failedBuild: FailedBuild | null = null;
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  return {
    current: () => sources,
    failedBuild: () => failedBuild,
    async reload() {
      sources = await load(stateDir);
      notify();
    },
    reportBuild(failed) {
      failedBuild = failed;
      notify();
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export interface ReloadableProject extends ProjectReader {
  reload(): Promise<void>;
  failedBuild(): FailedBuild | null;
  /** Reports that the newest build failed; `null` means that it is active. */
  reportBuild(failed: FailedBuild | null): void;
  /** Calls the listener after each reload and each report. Returns a function that stops it. */
  watch(listener: () => void): () => void;
}

async function load(stateDir: string): Promise<ProjectSources> {
  const manifest = await readManifest(stateDir);
  if (!manifest)
    throw new ProjectError(
      `The project is not built: there is no manifest.json in ${stateDir}. Run \`signalbox build\`.`,
    );
  return loadSources(stateDir, manifest);
}
