import { realpathSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { type FSWatcher, watch } from "chokidar";

interface Watching {
  /**
   * Watches those of a build's files, too, that lie outside of the project's folder, e.g. in a linked package. Paths
   * from the project, with `/`.
   */
  follow(inputs: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Watches a project's folder; `onChange` gets paths in the project, with `/`. Resolves when it watches. */
export async function watchProject(projectDir: string, onChange: (path: string) => void): Promise<Watching> {
  const watcher = watch(projectDir, {
    ignoreInitial: true,
    // Packages change by `npm install` only, and folders such as .git and .signalbox hold nothing that is built.
    ignored: (path) => path !== projectDir && isLeftOut(basename(path)),
  });
  watcher.on("all", (_event, path) => onChange(relative(projectDir, path).split(sep).join("/")));
  await untilReady(watcher);
  const outside = new Map<string, string>();
  // Their folders are watched, since an editor may put a new file in the place of the old one.
  const folders = new Map<string, FSWatcher>();
  return {
    async follow(inputs) {
      for (const input of inputs.filter((path) => path.startsWith("../"))) {
        const path = resolve(realpathSync(projectDir), input);
        outside.set(path, input);
        const folder = dirname(path);
        if (folders.has(folder)) continue;
        const added = watch(folder, { ignoreInitial: true, depth: 0 });
        folders.set(folder, added);
        added.on("all", (_event, changed) => {
          const known = outside.get(changed);
          if (known !== undefined) onChange(known);
        });
        await untilReady(added);
      }
    },
    async stop() {
      await Promise.all([watcher, ...folders.values()].map((each) => each.close()));
    },
  };
}

async function untilReady(watcher: FSWatcher): Promise<void> {
  await new Promise<void>((resolve, reject) => watcher.once("ready", resolve).once("error", reject));
  // A folder that goes away while it is watched is not worth ending for.
  watcher.on("error", () => {});
}

function isLeftOut(name: string): boolean {
  return name === "node_modules" || name.startsWith(".");
}

/**
 * Whether a change of this file may change the build. `inputs` are the files of the last good build. While the project
 * is broken, a JSON file may be the one that was missing; other files are left out then as well, lest a log in the
 * project's folder starts builds for ever.
 */
export function isPartOfBuild(path: string, p: { inputs: ReadonlySet<string>; isBroken: boolean }): boolean {
  if (p.inputs.has(path) || (p.isBroken && path.endsWith(".json"))) return true;
  return (
    /^(?:triggers|workflows|agents)(?:\/|$)/.test(path) ||
    /^(?:package|tsconfig(?:\.[^/]+)?)\.json$/.test(path) ||
    /\.[cm]?[jt]sx?$/.test(path)
  );
}
