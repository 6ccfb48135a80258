import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Manifest, manifestSchema } from "../contract/project/manifest.ts";

/** The built project cannot be used. The message is one line: the problem, its file, and how to fix it. */
export class ProjectError extends Error {
  override readonly name = "ProjectError";
}

/** The manifest of the last build; `null` if the project was never built. Throws ProjectError if it is invalid. */
export async function readManifest(stateDir: string): Promise<Manifest | null> {
  const file = join(stateDir, "manifest.json");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new ProjectError(`${file} cannot be read (${error.code ?? error.message}). Run \`signalbox build\`.`, {
      cause: error,
    });
  });
  return text === null ? null : parseManifest(text, file);
}

/** Throws ProjectError if the text is not a valid manifest. `file` is for its message. */
export function parseManifest(text: string, file: string): Manifest {
  const parsed = manifestSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new ProjectError(
    `${file} is damaged, or was written by another version of Signalbox. Run \`signalbox build\`.`,
    { cause: parsed.error },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// ---- kept builds ----

/** The manifest of a kept build, in its folder. `.signalbox/manifest.json` is that of the current build. */
export const buildManifestFile = (stateDir: string, version: string): string =>
  join(stateDir, "builds", version, "manifest.json");

/** The versions of the builds on which open runs can continue. A folder without a manifest is an unfinished build. */
export async function listKeptVersions(stateDir: string): Promise<string[]> {
  const names = await readdir(join(stateDir, "builds")).catch(() => []);
  return names.filter((name) => !name.startsWith(".") && existsSync(buildManifestFile(stateDir, name)));
}
