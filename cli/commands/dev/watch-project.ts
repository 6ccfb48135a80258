import { basename, relative, sep } from "node:path";
import { watch } from "chokidar";

/** Watches a project's folder; `onChange` gets paths in the project, with `/`. Resolves when it watches; gives the way to stop. */
export async function watchProject(projectDir: string, onChange: (path: string) => void): Promise<() => Promise<void>> {
  const watcher = watch(projectDir, {
    ignoreInitial: true,
    // Packages change by `npm install` only, and folders such as .git and .signalbox hold nothing that is built.
    ignored: (path) => path !== projectDir && isLeftOut(basename(path)),
  });
  watcher.on("all", (_event, path) => onChange(relative(projectDir, path).split(sep).join("/")));
  await new Promise<void>((resolve, reject) => watcher.once("ready", resolve).once("error", reject));
  // A folder that goes away while it is watched is not worth ending for.
  watcher.on("error", () => {});
  return () => watcher.close();
}

function isLeftOut(name: string): boolean {
  return name === "node_modules" || name.startsWith(".");
}

/**
 * Whether a change of this file may change the build. `inputs` are the files of the last good build. While the project is broken, a JSON
 * file may be the one that was missing; other files are left out then as well, lest a log in the project's folder starts builds for ever.
 */
export function isPartOfBuild(path: string, p: { inputs: ReadonlySet<string>; isBroken: boolean }): boolean {
  if (p.inputs.has(path) || (p.isBroken && path.endsWith(".json"))) return true;
  return /^(?:triggers|workflows|agents)(?:\/|$)/.test(path) || /^(?:package|tsconfig(?:\.[^/]+)?)\.json$/.test(path) || /\.[cm]?[jt]sx?$/.test(path);
}
