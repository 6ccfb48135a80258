import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Manifest } from "../../server/contract/project/manifest.ts";
import { draftPrefix } from "../../server/project/kept-builds.ts";
import { writeManifest } from "../../server/project/write-manifest.ts";
import { Failure } from "../terminal/failure.ts";
import type { BundledFile } from "./bundle/bundle.ts";

/** Creates `.signalbox/` with a .gitignore, and returns its path. */
export async function prepareStateFolder(projectDir: string): Promise<string> {
  const stateDir = join(projectDir, ".signalbox");
  await mkdir(stateDir, { recursive: true });
  await writeFile(join(stateDir, ".gitignore"), "*\n", { flag: "wx" }).catch(ignore("EEXIST"));
  return stateDir;
}

/** The failure if `.signalbox/` cannot be written; `null` for any other error. */
export function stateFolderFailure(error: unknown, projectDir: string): Failure | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  const stateDir = join(projectDir, ".signalbox");
  const path = "path" in error && typeof error.path === "string" ? error.path : "";
  const isDenied = deniedCodes.has(error.code) && (path === stateDir || path.startsWith(stateDir + sep));
  if (!isDenied && error.code !== "ENOSPC") return null;
  return new Failure(`${stateDir} cannot be written (${error.code}).`, {
    code: "state_folder_unwritable",
    fix: stateFolderFixes.get(error.code) ?? deniedFix,
    cause: error,
  });
}

const deniedCodes: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "EEXIST", "ENOTDIR"]);
const deniedFix =
  "The build writes there. Give this user write permission for the project's folder and .signalbox/, or build in a copy of the project.";
const inTheWay = "A file has the name of the folder. Remove the file.";
const stateFolderFixes: ReadonlyMap<string, string> = new Map([
  ["EEXIST", inTheWay],
  ["ENOTDIR", inTheWay],
  ["ENOSPC", "The disk is full. Free some space."],
]);

/** An empty folder for an unfinished build, beside the finished builds. */
export async function makeDraft(stateDir: string): Promise<string> {
  const draft = join(stateDir, "builds", `${draftPrefix}${process.pid}-${randomBytes(4).toString("hex")}`);
  await mkdir(draft, { recursive: true });
  return draft;
}

/** Gives the draft its final name. An existing, intact build with the same content is kept. */
export async function finishDraft(build: {
  stateDir: string;
  draft: string;
  manifest: Manifest;
  files: readonly BundledFile[];
}): Promise<void> {
  const finished = join(build.stateDir, build.manifest.folder);
  if (await isIntact(finished, build.files)) {
    await rm(build.draft, { recursive: true, force: true });
    await utimes(finished, new Date(), new Date());
    return;
  }
  await writeManifest(join(build.draft, buildManifestName), build.manifest);
  // Concurrent builds of the same project: the first one is kept, a damaged one is replaced.
  await rename(build.draft, finished).catch(async () => {
    if (await isIntact(finished, build.files)) return rm(build.draft, { recursive: true, force: true });
    await rename(finished, `${build.draft}-old`).catch(ignore("ENOENT"));
    await rm(`${build.draft}-old`, { recursive: true, force: true });
    await rename(build.draft, finished);
  });
}

const buildManifestName = "manifest.json";

async function isIntact(folder: string, files: readonly BundledFile[]): Promise<boolean> {
  try {
    for (const file of files) if (!(await readFile(join(folder, file.path))).equals(file.contents)) return false;
    return existsSync(join(folder, buildManifestName));
  } catch {
    return false;
  }
}

function ignore(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
