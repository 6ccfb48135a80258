import { execFileSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Metafile, build } from "esbuild";
import { bundleOptions, bundleProcesses, bundleSdk } from "./bundle.ts";
import { packageFolderOf, thirdPartyLicenses } from "./third-party-licenses.ts";

/**
 * Makes `dist/`, what the published package runs: the command line and the processes as bundles, the SDK with its
 * declarations, and the pages with the Next that serves them. See docs/packaging.md.
 */
const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const inRoot = (path: string) => join(root, path);
const { version } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as { version: string };

/** Folders of the packages that were bundled. */
const bundled = new Set<string>();

rmSync(dist, { recursive: true, force: true });
noteBundled(await bundleProcesses({ outdir: dist }));
await bundleSdk({ outdir: join(dist, "sdk") });
await bundleRegexChecker();
run("tsc", ["-p", "sdk/tsconfig.build.json"]);
buildPages();
await noteClientPackages();
writeLicenses();
checkNoTraces();
console.log(`dist/ is built: signalbox ${version}`);

/**
 * The checker of regular expressions in plain JavaScript: the package would bring 50 MB of Java and native builds of
 * the same.
 */
async function bundleRegexChecker(): Promise<void> {
  const { metafile } = await build({
    ...bundleOptions,
    metafile: true,
    splitting: false,
    format: "cjs",
    sourcemap: false,
    minify: true,
    entryPoints: { recheck: inRoot("node_modules/recheck/lib/browser.js") },
    outdir: dist,
    outExtension: { ".js": ".cjs" },
  });
  noteBundled(metafile);
}

/** The standalone output of `next build`, without symlinks, with its static files, and without what is never read. */
function buildPages(): void {
  rmSync(inRoot(".next/standalone"), { recursive: true, force: true });
  run("next", ["build"]);
  const standalone = inRoot(".next/standalone");
  const pages = join(dist, "pages");
  for (const folder of [".next", "node_modules"])
    cpSync(join(standalone, folder), join(pages, folder), { recursive: true, verbatimSymlinks: true });
  cpSync(inRoot(".next/static"), join(pages, ".next/static"), { recursive: true });
  writeFileSync(join(pages, "package.json"), `${JSON.stringify({ private: true, type: "commonjs" }, null, 2)}\n`);
  for (const unused of ["next/dist/server/capsize-font-metrics.json"])
    rmSync(join(pages, "node_modules", unused), { force: true });
  relocate(join(pages, ".next/required-server-files.json"));
  rejectSymlinks(pages);
}

/** Next writes the folder it was built in into its configuration; at run time the folder is set again. */
function relocate(file: string): void {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(JSON.stringify(root), '"."').replaceAll(JSON.stringify(root).slice(1, -1), "."));
}

/** `npm pack` leaves out symbolic links in silence; Next makes them for packages that its bundle leaves outside. */
function rejectSymlinks(folder: string): void {
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (lstatSync(join(folder, path)).isSymbolicLink())
      throw new Error(
        `dist/pages/${path} is a symbolic link, which npm does not pack. Does a page import something of server/ besides types?`,
      );
  }
}

/** Next does not list what it bundled for the browser: the same pages, bundled for nothing but the list. */
async function noteClientPackages(): Promise<void> {
  const pages = readdirSync(inRoot("app"), { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".tsx"),
  );
  const { metafile } = await build({
    ...bundleOptions,
    entryPoints: pages.map((path) => inRoot(`app/${path}`)),
    outdir: dist,
    splitting: false,
    sourcemap: false,
    jsx: "automatic",
    loader: { ".css": "empty", ".svg": "empty" },
    external: ["next", "next/*", "react", "react-dom", "server-only"],
    write: false,
    metafile: true,
  });
  noteBundled(metafile);
}

function noteBundled({ inputs }: Metafile): void {
  for (const file of Object.keys(inputs)) {
    const folder = packageFolderOf(file);
    if (folder) bundled.add(inRoot(folder));
  }
}

function writeLicenses(): void {
  const nextPackages = readdirSync(join(dist, "pages/node_modules"), { recursive: true, encoding: "utf8" })
    .filter((path) => /^(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .map((path) => inRoot(`node_modules/${path.replace(/\/package\.json$/, "")}`));
  const styles = ["@fontsource-variable/geist", "@fontsource-variable/geist-mono", "tailwindcss"].map((name) =>
    inRoot(`node_modules/${name}`),
  );
  // The typed events of GitHub are generated from these.
  const events = ["openapi-webhooks", "webhooks-examples"].map((name) => inRoot(`node_modules/@octokit/${name}`));
  writeFileSync(
    join(dist, "THIRD-PARTY-LICENSES.txt"),
    thirdPartyLicenses([...bundled, ...nextPackages, ...styles, ...events]),
  );
}

/** A package must not know the machine that it was built on. */
function checkNoTraces(): void {
  for (const path of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    const file = join(dist, path);
    if (lstatSync(file).isFile() && readFileSync(file).includes(root))
      throw new Error(`dist/${path} holds the path of the build folder`);
  }
}

function run(command: string, args: string[]): void {
  const script = inRoot(`node_modules/.bin/${command}`);
  if (!existsSync(script)) throw new Error(`${command} is missing: run \`npm ci\` first.`);
  execFileSync(process.execPath, [script, ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
  });
}
