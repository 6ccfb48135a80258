import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { starterFolder } from "../../../server/paths.ts";

export interface StarterFile {
  /** Path in the new project, with `/`. */
  path: string;
  contents: Uint8Array;
}

/** The files of the example project, with their paths in a new project. */
export function readStarterFiles(folder = starterFolder()): StarterFile[] {
  return listFiles(folder, "").map((path) => ({
    path: path === "gitignore" ? ".gitignore" : path,
    contents: readFileSync(join(folder, path)),
  }));
}

function listFiles(folder: string, below: string): string[] {
  const entries = readdirSync(join(folder, below), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    // Left by running the example in this repository.
    if (["node_modules", ".signalbox", "outbox"].includes(entry.name)) return [];
    return entry.isDirectory() ? listFiles(folder, path) : [path];
  });
}
