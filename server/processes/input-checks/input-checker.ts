import type { Manifest } from "../../contract/project/manifest.ts";
import { createBuilds } from "../../project/kept-builds.ts";
import { evaluateInput } from "../../project/evaluate-input.ts";
import { loadCode } from "../../project/load-code.ts";
import { readManifest } from "../../project/read-manifest.ts";
import type { FromInputChecker, ToInputChecker } from "./input-checks.ts";

/**
 * The process that parses inputs with the schemas of one build. It loads the code of workflows, which can hang, exit or
 * crash, and needs the environment of a worker.
 */
const [stateDir = "", version = ""] = process.argv.slice(2);
const code = readBuild().then((manifest) => manifest && loadCode(stateDir, manifest));

process.on("disconnect", () => process.exit(0));
// Ctrl-C reaches the whole process group: the process that started this one decides when it ends.
process.on("SIGINT", () => {});
process.on("message", (message: ToInputChecker) => void answer(message));

async function readBuild(): Promise<Manifest | null> {
  const current = await readManifest(stateDir);
  return current?.version === version ? current : await createBuilds(stateDir).read(version);
}

async function answer({ id, target, input }: ToInputChecker): Promise<void> {
  try {
    const loaded = await code;
    send({
      id,
      errors: loaded && (await evaluateInput(loaded, { target, input })),
      reason: `This machine has no build ${version} with it.`,
    });
  } catch (error) {
    send({ id, errors: null, reason: error instanceof Error ? error.message : String(error) });
  }
}

function send(message: FromInputChecker): void {
  process.send?.(message);
}
