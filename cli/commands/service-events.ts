import type { Manifest } from "../../server/contract/manifest.ts";
import type { Mode } from "../../server/config.ts";
import type { Reporter } from "../../server/processes/protocol.ts";
import type { Diagnostic } from "../build/diagnostic.ts";

/** What `dev` and `start` tell of a service while it runs: drawn for a person, or as one JSON object a line. */
export interface ServiceEvents extends Reporter {
  /** `localUrl`: where this machine reaches it. */
  ready(p: { mode: Mode; url: string; localUrl: string; manifest: Manifest; warnings: readonly Diagnostic[] }): void;
  /** Workers are there, without a web process. `healthPort`: where their health is asked for; `null`: nowhere. */
  working(p: { manifest: Manifest; healthPort: number | null }): void;
  /** A new build is in force. */
  reloaded(p: { manifest: Manifest; warnings: readonly Diagnostic[]; durationMs: number }): void;
  /** The project is as it was before: there is nothing to load. */
  unchanged(p: { version: string; wasBroken: boolean }): void;
  /** `serving` is the version that goes on being served, `null` before the first good build. */
  buildFailed(p: { diagnostics: readonly Diagnostic[]; serving: string | null }): void;
  stopping(): void;
}
