import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { sdkEntries } from "../server/paths.ts";
import { type BuildOptions, type Metafile, type Plugin, build } from "esbuild";

const root = join(import.meta.dirname, "..");
const inRoot = (path: string) => join(root, path);
const { dependencies, peerDependencies } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as Record<
  "dependencies" | "peerDependencies",
  Record<string, string>
>;

export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  // Its main file loads its parts in a way that no bundler can follow.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  format: "esm",
  platform: "node",
  target: "node22.18",
  sourcemap: "linked",
  sourcesContent: false,
  legalComments: "external",
  logLevel: "warning",
} satisfies BuildOptions;

/** Zod hands out its messages in sixty languages. We speak one, and every process would keep all of them in memory. */
const englishOnly: Plugin = {
  name: "english-only",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/**
 * `pg` loads its native binding when code reads `pg.native`, which ours does not. The binding is a package of its
 * own, with a compiler.
 */
const withoutNativePostgres: Plugin = {
  name: "without-native-postgres",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]pg[\\/]lib[\\/]native[\\/]index\.js$/ }, () => ({
      contents: 'throw new Error("The native binding of pg is not part of Signalbox.");',
    }));
  },
};

/** Programs: all but the packages that are installed beside them is part of the bundle. */
export const programOptions = {
  ...bundleOptions,
  // The matchers are registered in the project's own Vitest. Zod is a peer too, but programs have their own copy.
  external: [...Object.keys(dependencies), "vitest"],
  // CommonJS packages inside the bundle call `require` for Node's own modules.
  banner: {
    js: 'import { createRequire as createRequireForBundle } from "node:module"; const require = createRequireForBundle(import.meta.url);',
  },
} satisfies BuildOptions;

/** Everything but real dependencies is bundled, so that a user's own Zod, Hono or drizzle never meets ours. */
export async function bundleProcesses({ outdir }: { outdir: string }): Promise<Metafile> {
  const { metafile } = await build(processOptions({ outdir }));
  const unlisted = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.filter(({ external, path }) => external && !isAllowedImport(path)),
  );
  if (unlisted.length > 0)
    throw new Error(
      `dist/ would import what the package does not depend on: ${unlisted.map(({ path }) => path).join(", ")}`,
    );
  return metafile;
}

/** The programs of Signalbox. `plugins`: beside our own. */
export function processOptions({ outdir, plugins = [] }: { outdir: string; plugins?: Plugin[] }) {
  return {
    ...programOptions,
    entryPoints: {
      cli: inRoot("cli/main.ts"),
      evaluate: inRoot("cli/build/evaluate.ts"),
      receiver: inRoot("server/processes/receiver/receiver.ts"),
      web: inRoot("server/processes/web/web.ts"),
      worker: inRoot("server/processes/worker/worker.ts"),
      "input-checker": inRoot("server/processes/input-checks/input-checker.ts"),
      "local-api": inRoot("server/processes/web/local-api.ts"),
      "backtest-thread": inRoot("cli/commands/triggers/backtest/thread.ts"),
      "event-loop-watcher": inRoot("server/processes/event-loop/event-loop-watcher.ts"),
      "regex-thread": inRoot("cli/build/schema/regex-thread.ts"),
      testing: inRoot("testing/index.ts"),
      "testing-jest": inRoot("sdk/test-project/jest.ts"),
      "testing-vitest": inRoot("sdk/test-project/vitest.ts"),
    },
    outdir,
    chunkNames: "chunks/[name]-[hash]",
    metafile: true,
    plugins: [englishOnly, withoutNativePostgres, ...plugins],
  } satisfies BuildOptions;
}

function isAllowedImport(path: string): boolean {
  return (
    path.startsWith("node:") ||
    createRequire(import.meta.url).resolve.paths(path) === null ||
    Object.keys({ ...dependencies, ...peerDependencies }).some((name) => path === name || path.startsWith(`${name}/`))
  );
}

/** The events of GitHub stay a file of their own, of which a project's build takes those that it uses. */
const separateEvents: Plugin = {
  name: "separate-events",
  setup({ onResolve }) {
    onResolve({ filter: /\/event-data\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: "./github-events.js", external: true },
    );
  },
};

/** What users import. Zod stays theirs. */
export async function bundleSdk({ outdir }: { outdir: string }): Promise<void> {
  await build({
    ...bundleOptions,
    entryPoints: {
      ...Object.fromEntries(sdkEntries.map((entry) => [entry, inRoot(`sdk/${entry}/index.ts`)])),
      "sources/github-events": inRoot("sdk/sources/github/event-data.ts"),
    },
    outdir,
    chunkNames: "shared-[hash]",
    external: ["zod"],
    plugins: [separateEvents],
  });
}
