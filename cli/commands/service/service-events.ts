import type { Mode } from "../../../server/config.ts";
import type { Manifest } from "../../../server/contract/project/manifest.ts";
import { readOrigin } from "../../../server/domain/deliveries/origin.ts";
import type { Reporter, RunEndedReport } from "../../../server/processes/protocol.ts";
import { type Diagnostic, diagnosticsJson } from "../../build/diagnostics/diagnostic.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Events of `dev` and `start`: text for a person, or one JSON object per line. */
export interface ServiceEvents extends Reporter {
  /** `localUrl`: the URL on this machine. `store`: its name, by `describeStore`. */
  ready(details: {
    mode: Mode;
    url: string;
    localUrl: string;
    store: string;
    manifest: Manifest;
    warnings: readonly Diagnostic[];
  }): void;
  /** The workers are ready, without a web process. `healthPort`: the port of the health checks; `null`: none. */
  working(details: { manifest: Manifest; store: string; healthPort: number | null }): void;
  /** A new build is loaded. */
  reloaded(details: { manifest: Manifest; warnings: readonly Diagnostic[]; durationMs: number }): void;
  /** The build is the same as before, so nothing is loaded. */
  unchanged(details: { version: string; wasBroken: boolean }): void;
  /** `serving` is the version that is still served, `null` before the first successful build. */
  buildFailed(details: { diagnostics: readonly Diagnostic[]; serving: string | null }): void;
  stopping(): void;
}

/** One JSON object per line with `event` and `at`: ready, working, build, delivery, run, notice, stopping. */
export function createJsonEvents({ terminal, now }: { terminal: Terminal; now(): number }): ServiceEvents {
  const emit = (event: string, fields: Record<string, unknown>) =>
    terminal.out.write(`${JSON.stringify({ event, at: new Date(now()).toISOString(), ...fields })}\n`);
  return {
    ready: ({ mode, url, store, manifest, warnings }) =>
      emit("ready", {
        mode,
        url,
        store,
        name: manifest.name,
        ...counts(manifest),
        endpoints: endpointsOf(manifest),
        warnings,
      }),
    working: ({ manifest, store, healthPort }) =>
      emit("working", { name: manifest.name, store, ...counts(manifest), healthPort }),
    reloaded: ({ manifest, warnings, durationMs }) =>
      emit("build", { ok: true, ...counts(manifest), durationMs, warnings }),
    unchanged: ({ version }) => emit("build", { ok: true, version, unchanged: true }),
    buildFailed: ({ diagnostics, serving }) => emit("build", { ok: false, ...diagnosticsJson(diagnostics), serving }),
    delivery: (delivery) => {
      const origin = readOrigin(delivery.headers);
      emit("delivery", { delivery, ...(origin && { origin }) });
    },
    runEnded: (run) => emit("run", { run: runFields(run) }),
    notice: (level, message) => emit("notice", { level, message }),
    stopping: () => emit("stopping", {}),
  };
}

function runFields({ runId, status, trigger, target, attempt, durationMs, error }: RunEndedReport) {
  return { runId, status, trigger, target, attempt, durationMs, error };
}

export function counts({ version, triggers, workflows }: Manifest) {
  return { version, triggers: triggers.length, workflows: workflows.length };
}

/** Unique, in the order of the triggers. */
export function endpointsOf(manifest: Manifest): string[] {
  return [...new Set(manifest.triggers.map(({ endpoint }) => endpoint))];
}
