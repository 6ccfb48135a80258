import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { bundleCode, moduleOf, writeBundle } from "../bundle/bundle.ts";

/** Vitest resolves imports in its own way, and a thread as Node does. */
const loadModules = `
  const { parentPort } = require("node:worker_threads");
  parentPort.on("message", (url) =>
    import(url).then(
      (module) => parentPort.postMessage({ exported: module.default }),
      (error) => parentPort.postMessage({ error }),
    ));`;

let thread: Worker | null = null;

/** Bundles one file of a project, loads the result as the service does, and returns its default export. */
export async function runBundle(projectDir: string, file: string): Promise<unknown> {
  const outDir = join(projectDir, ".signalbox/builds/a");
  const bundle = await bundleCode({ projectDir, outDir, files: [file] });
  if (!bundle.ok) throw new Error(bundle.errors.map(({ text }) => text).join("\n"));
  await writeBundle(outDir, bundle.files);
  thread ??= new Worker(loadModules, { eval: true, execArgv: [] });
  // It ends with the process of the tests.
  thread.unref();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  thread.postMessage(pathToFileURL(join(outDir, moduleOf(file))).href);
  const [loaded]: { exported?: unknown; error?: unknown }[] = await once(thread, "message");
  if (loaded?.error) throw loaded.error;
  return loaded?.exported;
}
