import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";

const eventData = z.object({
  shapes: z.array(z.string()),
  samples: z.array(z.record(z.string(), z.unknown())),
  events: z.record(z.string(), z.int()),
});

/** Whether a file of the package has the events of GitHub: in the sources, or in `dist/`. */
export function hasGitHubEvents(path: string): boolean {
  return /\bsources\/github(?:\/event-data\.ts|-events\.js)$/.test(path);
}

/** The module of the events, with those that a project uses: the others would be 250 kB in each bundle. */
export async function writeGitHubEvents(file: string, projectDir: string): Promise<string> {
  const { shapes, samples, events } = eventData.parse({ ...(await import(pathToFileURL(file).href)) });
  const used = await findUsedEvents(projectDir);
  const kept = Object.entries(events).filter(([event]) => used === null || used.has(event));
  const reached = new Set<number>();
  const reach = (shape: number): void => {
    if (reached.has(shape)) return;
    reached.add(shape);
    for (const [, inner] of (shapes[shape] ?? "").matchAll(/\{(\d+)\}/g)) reach(Number(inner));
  };
  for (const [, shape] of kept) reach(shape);
  const pick = (values: readonly unknown[]) =>
    JSON.stringify(Object.fromEntries([...reached].sort((one, other) => one - other).map((at) => [at, values[at]])));
  return [
    `export const shapes = ${pick(shapes)};\n`,
    `export const samples = ${pick(samples)};\n`,
    `export const events = ${JSON.stringify(Object.fromEntries(kept))};\n`,
  ].join("");
}

/** The events that the project's files name. `null`: a file names one in another way than as a string. */
async function findUsedEvents(projectDir: string): Promise<ReadonlySet<string> | null> {
  const files = globSync("**/*.{ts,tsx,mts,js,mjs}", {
    cwd: projectDir,
    exclude: (name) => name.startsWith(".") || name === "node_modules",
  });
  const used = new Set<string>();
  for (const file of files) {
    const text = await readFile(join(projectDir, file), "utf8");
    if (!text.includes("signalbox/sources/github")) continue;
    const named = [...text.matchAll(/\.on\(\s*(["'])([a-z_]+(?:\.[a-z_]+)?)\1\s*,/g)];
    if (named.length < [...text.matchAll(/\bon\b\s*[(:,}\]]/g)].length || named.length === 0) return null;
    for (const [, , event = ""] of named) used.add(event);
  }
  return used;
}
