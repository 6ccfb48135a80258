import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Json, jsonSchema } from "../../server/contract/json.ts";
import { usageFailure } from "../terminal/failure.ts";
import type { CommandContext } from "./command-context.ts";

export const dataOption = ["--data <json>", "The body: JSON, @file, or - for stdin"] as const;

/** The bytes of --data: JSON, `@file` (relative to the current folder), or `-` for stdin. Not parsed. */
export async function readData(
  value: string,
  context: Pick<CommandContext, "cwd" | "stdin" | "notify">,
): Promise<Uint8Array> {
  if (value === "-") return readStdin(context);
  if (!value.startsWith("@")) return Buffer.from(value, "utf8");
  const path = resolve(context.cwd, value.slice(1));
  try {
    return await readFile(path);
  } catch (error) {
    throw usageFailure(
      `--data: ${path} cannot be read (${error instanceof Error && "code" in error ? error.code : error}).`,
      "A path after @ is relative to the current folder.",
    );
  }
}

/** The same, parsed. */
export async function readJsonData(
  value: string,
  context: Pick<CommandContext, "cwd" | "stdin" | "notify">,
): Promise<Json> {
  const text = new TextDecoder().decode(await readData(value, context));
  try {
    return jsonSchema.parse(JSON.parse(text));
  } catch (error) {
    const hint =
      value === "-" || value.startsWith("@") ? "" : "Put the JSON in single quotes, or in a file: --data @body.json";
    throw usageFailure(`--data is not valid JSON: ${error instanceof Error ? error.message : error}`, hint);
  }
}

async function readStdin({ stdin, notify }: Pick<CommandContext, "stdin" | "notify">): Promise<Uint8Array> {
  if (stdin.isTTY) notify("Reading the body from the terminal. End it with Ctrl-D.");
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}
