import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The user's files with definitions, by folder: paths in the project with `/`, sorted. */
export interface DiscoveredFiles {
  triggers: string[];
  workflows: string[];
  agents: string[];
}

export async function discover(projectDir: string): Promise<DiscoveredFiles> {
  const [triggers, workflows, agents] = await Promise.all([
    listDefinitions(projectDir, "triggers"),
    listDefinitions(projectDir, "workflows"),
    listDefinitions(projectDir, "agents"),
  ]);
  return { triggers, workflows, agents };
}

async function listDefinitions(projectDir: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(projectDir, folder), { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
      throw error;
    },
  );
  const files: string[] = [];
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (isHelper(entry.name)) continue;
    if (entry.isDirectory()) files.push(...(await listDefinitions(projectDir, path)));
    else if (isDefinition(entry.name)) files.push(path);
  }
  return files.sort();
}

/** Ignores names that start with `_` or `.`, and folders of tests and packages. */
function isHelper(name: string): boolean {
  return name.startsWith("_") || name.startsWith(".") || name === "node_modules";
}

function isDefinition(name: string): boolean {
  return /\.(?:tsx?|mts|m?js)$/.test(name) && !/\.(?:test|spec|d)\.\w+$/.test(name);
}
