import type { Settings } from "../../../server/config.ts";
import type { BuildProblem } from "../../../server/contract/failed-build.ts";
import type { Manifest } from "../../../server/contract/manifest.ts";
import type { BuildResult } from "../../build/build-project.ts";
import type { ServiceEvents } from "../service-events.ts";
import type { Service } from "../start-service.ts";
import { changedSettings } from "./changed-settings.ts";
import { isPartOfBuild } from "./watch-project.ts";

export interface DevSession {
  /** Builds, and loads a successful build by starting or reloading the service. Rejects if the service cannot start. */
  rebuild(): Promise<void>;
  /** Whether a change of this file requires a rebuild. */
  concerns(path: string): boolean;
  isServing(): boolean;
  close(): Promise<void>;
}

interface Serving {
  service: Service;
  settings: Settings;
  version: string;
  /** The last reload failed, so parts of the service may run another build. */
  isMixed: boolean;
}

/** One `signalbox dev`. It serves the last successful build. */
export function createDevSession(p: {
  build(): Promise<BuildResult>;
  readSettings(manifest: Manifest): Settings;
  start(settings: Settings): Promise<Service>;
  events: ServiceEvents;
  now(): number;
}): DevSession {
  const { events } = p;
  let serving: Serving | null = null;
  let inputs: ReadonlySet<string> = new Set();
  let isBroken = false;
  /** The pages show a failed build. */
  let isReported = false;

  async function load(built: BuildResult & { ok: true }, startedAt: number): Promise<void> {
    const { manifest, warnings } = built;
    const settings = p.readSettings(manifest);
    if (!serving) {
      const service = await p.start(settings);
      serving = { service, settings, version: manifest.version, isMixed: false };
      return events.ready({ mode: settings.mode, url: service.url, localUrl: service.localUrl, manifest, warnings });
    }
    reportSettings(serving, settings);
    if (manifest.version === serving.version && !serving.isMixed)
      return events.unchanged({ version: manifest.version, wasBroken: isBroken });
    serving.isMixed = true;
    await serving.service.reload();
    serving.version = manifest.version;
    serving.isMixed = false;
    events.reloaded({ manifest, warnings, durationMs: performance.now() - startedAt });
  }

  function reportSettings(current: Serving, settings: Settings): void {
    const names = changedSettings(current.settings, settings);
    if (names.length > 0)
      events.notice("warn", `Changed settings (${names.join(", ")}) take effect when you restart \`signalbox dev\`.`);
    // Reported once per change.
    current.settings = settings;
  }

  /** Reports to the pages, once per change. */
  function report(problems: BuildProblem[]): void {
    if (problems.length > 0 || isReported)
      serving?.service.reportBuild(problems.length > 0 ? { at: new Date(p.now()).toISOString(), problems } : null);
    isReported = problems.length > 0;
  }

  return {
    async rebuild() {
      const startedAt = performance.now();
      const built = await p.build();
      if (built.ok) {
        inputs = new Set(built.inputs);
        await load(built, startedAt).catch((error: unknown) => {
          report([loadProblem(error)]);
          throw error;
        });
      } else {
        events.buildFailed({ diagnostics: built.diagnostics, serving: serving?.version ?? null });
      }
      report(built.ok ? [] : built.diagnostics);
      isBroken = !built.ok;
    },
    isServing: () => serving !== null,
    concerns: (path) => isPartOfBuild(path, { inputs, isBroken }),
    close: async () => serving?.service.close(),
  };
}

/** The build succeeded, but cannot be loaded. */
function loadProblem(error: unknown): BuildProblem {
  const text = error instanceof Error ? error.message : String(error);
  return {
    code: "not_in_force",
    severity: "error",
    file: null,
    line: null,
    column: null,
    frame: null,
    title: "The new build could not be loaded",
    text,
    fix: "Fix the cause and save a file, or restart `signalbox dev`.",
  };
}
