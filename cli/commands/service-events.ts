import type { Manifest } from "../../server/contract/manifest.ts";
import type { Mode } from "../../server/config.ts";
import type { Reporter } from "../../server/processes/protocol.ts";
import type { Diagnostic } from "../build/diagnostic.ts";

/** Events of `dev` and `start`: text for a person, or one JSON object per line. */
export interface ServiceEvents extends Reporter {
  /** `localUrl`: the URL on this machine. */
  ready(p: { mode: Mode; url: string; localUrl: string; manifest: Manifest; warnings: readonly Diagnostic[] }): void;
  /** The workers are ready, without a web process. `healthPort`: the port of the health checks; `null`: none. */
  working(p: { manifest: Manifest; healthPort: number | null }): void;
  /** A new build is loaded. */
  reloaded(p: { manifest: Manifest; warnings: readonly Diagnostic[]; durationMs: number }): void;
  /** The build is the same as before, so nothing is loaded. */
  unchanged(p: { version: string; wasBroken: boolean }): void;
  /** `serving` is the version that is still served, `null` before the first successful build. */
  buildFailed(p: { diagnostics: readonly Diagnostic[]; serving: string | null }): void;
  stopping(): void;
}
