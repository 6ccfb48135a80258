import { existsSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { jsonSchema } from "../../../server/contract/json.ts";
import { formatCount, formatNumber } from "../../../server/shared/format.ts";
import { type Sample, inferTrigger } from "../../../server/domain/sketch/infer-trigger.ts";
import {
  describeTrigger,
  type InferredTriggerAnswer,
  inferredTriggerSchema,
  unknownKind,
} from "../../../server/triggers/infer-trigger.ts";
import { Failure, usageFailure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { parseSince, type Since, startOfPeriod } from "../options.ts";

export function registerTriggersInfer(triggers: CliCommand, runner: CommandRunner): void {
  triggers
    .subcommand("infer", "Write a trigger from recorded deliveries, or from files", [
      "signalbox triggers infer billing --since 30d",
      "signalbox triggers infer billing --only invoice.paid --out triggers/invoice-paid.ts",
      "signalbox triggers infer billing --from requests/*.json",
    ])
    .argument("<endpoint>", "The endpoint that received the deliveries")
    .option("--since <duration>", "Only deliveries of this last period. Default: 7d", parseSince)
    .option("--from <file...>", "Read payloads from JSON files instead, one in each")
    .option("--only <kind>", "Only payloads of one kind, e.g. invoice.paid")
    .option("--out <file>", "Write the trigger to a new file, and a workflow for it. Default: print the trigger")
    .action(runner.action(infer));
}

interface Options {
  since?: Since;
  from?: string[];
  only?: string;
  out?: string;
}

async function infer(context: CommandContext, endpoint: string, options: Options): Promise<void> {
  if (options.from && options.since !== undefined)
    throw usageFailure("--since selects deliveries, and --from reads files.", "Use one of the two.");
  const out = options.out === undefined ? null : newFile(options.out, context);
  const request = { endpoint, only: options.only, file: out ?? undefined };
  const found = options.from
    ? await inferFromFiles(context, { ...request, files: options.from })
    : await inferFromDeliveries(context, { ...request, since: options.since });
  const written = out === null ? [] : await writeFiles(context.projectDir, found);
  context.print({
    document: { ...found, written },
    text: () => (out === null ? found.trigger.code : written.map((file) => `${file}\n`).join("")),
  });
  if (!context.isJson) for (const note of notesOn(found, { isPrinted: out === null })) context.notify(note);
}

async function inferFromDeliveries(
  context: CommandContext,
  {
    since,
    ...query
  }: { endpoint: string; only: string | undefined; file: string | undefined; since: Since | undefined },
): Promise<InferredTriggerAnswer> {
  const api = await context.api();
  return api.request({
    path: "/inferred-trigger",
    query: { ...query, since: startOfPeriod(since, context.now()) },
    answer: inferredTriggerSchema,
  });
}

async function inferFromFiles(
  context: CommandContext,
  { files, ...request }: { endpoint: string; only: string | undefined; file: string | undefined; files: string[] },
): Promise<InferredTriggerAnswer> {
  const inference = await inferTrigger(() => readFiles(files, context.cwd), request);
  if (!inference.trigger) throw unknownKind(request.only ?? "", inference.kinds);
  return describeTrigger(request.endpoint, inference.trigger, true);
}

async function* readFiles(files: readonly string[], cwd: string): AsyncIterable<Sample> {
  for (const file of files) {
    const path = resolve(cwd, file);
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      throw usageFailure(
        `--from: ${path} cannot be read (${reasonOf(error)}).`,
        "Name JSON files with one payload each.",
      );
    });
    yield { body: parsePayload(text, path), headers: {}, seenAt: (await stat(path)).mtimeMs };
  }
}

function parsePayload(text: string, path: string): Sample["body"] {
  try {
    return jsonSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Failure(`${path} is not valid JSON: ${error instanceof Error ? error.message : error}`, {
      code: "invalid_json",
      fix: "Each file has the body of one request.",
    });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** The path of a new file in the project, relative to it. */
function newFile(given: string, { cwd, projectDir }: CommandContext): string {
  const path = resolve(cwd, given);
  const file = relative(projectDir, path).split(sep).join("/");
  if (file.startsWith("../") || !file.startsWith("triggers/") || !file.endsWith(".ts"))
    throw usageFailure(
      `--out: ${given} is not a .ts file in the project's triggers/.`,
      "For example: --out triggers/billing.ts",
    );
  if (existsSync(path)) throw fileExists(file);
  return file;
}

function fileExists(file: string): Failure {
  return new Failure(`${file} already exists.`, {
    code: "file_exists",
    fix: "Choose another file with --out, or remove this one.",
  });
}

/** Never overwrites a file. An existing workflow stays as it is. */
async function writeFiles(projectDir: string, { trigger, workflow }: InferredTriggerAnswer): Promise<string[]> {
  if (!(await writeNew(join(projectDir, trigger.file), trigger.code))) throw fileExists(trigger.file);
  const isNew = await writeNew(join(projectDir, workflow.file), workflow.code);
  return isNew ? [trigger.file, workflow.file] : [trigger.file];
}

async function writeNew(path: string, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (reasonOf(error) === "EEXIST") return false;
    throw error;
  }
}

function notesOn(found: InferredTriggerAnswer, { isPrinted }: { isPrinted: boolean }): string[] {
  const { deliveries, firstSeen, lastSeen, isComplete, kindAt, kinds, only, workflow } = found;
  const [first, last] = [firstSeen.slice(0, 10), lastSeen.slice(0, 10)];
  const notes = [
    `Inferred from ${formatCount(deliveries, "payload")} of ${first === last ? first : `${first} to ${last}`}.`,
  ];
  if (!isComplete) notes.push("There are more deliveries in this period. Only the newest were read.");
  if (only === null && kinds.length > 1)
    notes.push(
      `${kindAt} names ${formatNumber(kinds.length)} kinds: ${kinds
        .slice(0, 8)
        .map(({ value, deliveries: count }) => `${value} (${formatNumber(count)})`)
        .join(", ")}${kinds.length > 8 ? ", …" : ""}. --only writes a trigger for one of them.`,
    );
  if (isPrinted) notes.push(`It starts ${workflow.file}. --out writes both files.`);
  return notes;
}
