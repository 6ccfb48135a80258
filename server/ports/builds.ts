import type { Manifest } from "../contract/project/manifest.ts";
import type { ProjectSources } from "./project.ts";

/** A build that this machine keeps. */
export interface KeptBuild {
  /** The version of its runs. */
  id: string;
  builtAt: string;
  isCurrent: boolean;
}

/** The builds of this machine. */
export interface Builds {
  /** Newest first. */
  list(): Promise<KeptBuild[]>;
  /** `null`: this machine does not keep it, or cannot read it. */
  read(id: string): Promise<Manifest | null>;
  /** Its triggers, to evaluate deliveries with them. `null`: as `read`. Throws an Error if it cannot be loaded. */
  loadSources(id: string): Promise<ProjectSources | null>;
  /** Makes a kept build current. Throws an Error, with the reason in one line, if it cannot be loaded. */
  makeCurrent(id: string): Promise<void>;
}
