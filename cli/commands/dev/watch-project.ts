import { type FSWatcher, watch } from "chokidar";
import { realpathSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";

interface Watching {
  /**
   * Also watches files of a build outside the project's folder, e.g. in a linked package. Paths are relative to the
   * project, with `/`.
   */
  follow(inputs: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Watches a project's folder; `onChange` gets paths in the project, with `/`. Resolves when the watcher is ready. */
export async function watchProject(projectDir: string, onChange: (path: string) => void): Promise<Watching> {
  const watcher = watch(projectDir, {
    ignoreInitial: true,
    // Packages change only by `npm install`, and folders such as .git and .signalbox are not built. Files such as .env
    // have variables.
    ignored: (path) => path !== projectDir && isLeftOut(basename(path)),
  });
  watcher.on("all", (_event, path) => onChange(relative(projectDir, path).split(sep).join("/")));
  await untilReady(watcher);
  const outside = new Map<string, string>();
  // Watches the folders, because an editor may replace a file.
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
  // A watched folder that is removed must not end `dev`.
  watcher.on("error", () => {});
}

function isLeftOut(name: string): boolean {
  return name === "node_modules" || (name.startsWith(".") && !name.startsWith(".env"));
}

/**
 * Whether a change of this file may change the build. `inputs` are the files of the last successful build. After a
 * failed build, any JSON file may be the missing one. Other files are ignored, so that a log file in the project's
 * folder does not cause an endless series of builds.
 */
export function isPartOfBuild(path: string, build: { inputs: ReadonlySet<string>; isBroken: boolean }): boolean {
  if (build.inputs.has(path) || (build.isBroken && path.endsWith(".json"))) return true;
  return (
    /^(?:triggers|workflows|agents)(?:\/|$)/.test(path) ||
    /^(?:package|tsconfig(?:\.[^/]+)?)\.json$/.test(path) ||
    /\.[cm]?[jt]sx?$/.test(path)
  );
}

interface RebuildLoop {
  /** Schedules a rebuild after a change. */
  changed(): void;
  /** Ignores further changes; resolves when the current rebuild, if any, has ended. */
  close(): Promise<void>;
}

/**
 * Rebuilds after changes, debounced. One rebuild runs at a time. Changes during a rebuild start another one afterwards.
 * `rebuild` must not reject.
 */
export function createRebuildLoop(options: { debounceMs: number; rebuild(): Promise<void> }): RebuildLoop {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isStale = false;
  let isClosed = false;

  async function run(): Promise<void> {
    isStale = false;
    await options.rebuild();
    running = isStale && !isClosed ? run() : null;
  }

  return {
    changed() {
      if (isClosed) return;
      if (timer) clearTimeout(timer);
      timer = setTimeout(() => {
        timer = null;
        if (running) isStale = true;
        else running = run();
      }, options.debounceMs);
    },
    async close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
      // Changes during this rebuild are ignored.
      await running;
    },
  };
}
