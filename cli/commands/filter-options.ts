import { InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { isMoment } from "../../server/contract/filters.ts";
import type { CliCommand } from "./cli-command.ts";
import { parseSince, startOfPeriod } from "./options.ts";

/** The filters of the API as options: each field is one, `replayOf` is `--replay-of`. */

type Shape = Record<string, z.ZodOptional>;

/** `--version` is that of Signalbox. */
const otherNames: Readonly<Record<string, string>> = { minCostUsd: "min-cost", version: "build" };

/** What the value of a text is, if it is no id. */
const valueNames: Readonly<Record<string, string>> = {
  trigger: "slug",
  target: "slug",
  targetKind: "kind",
  endpoint: "endpoint",
  text: "text",
  minCostUsd: "dollars",
};

export function withFilterOptions(command: CliCommand, filter: z.ZodObject<Shape>): CliCommand {
  for (const option of optionsOf(filter).values()) command.addOption(option);
  return command;
}

/** The given fields as JSON. Periods begin before `now`. */
export function readFilterOptions(
  options: Readonly<Record<string, unknown>>,
  filter: z.ZodObject<Shape>,
  now: number,
): Record<string, string | number | true> {
  const fields = [...optionsOf(filter)].flatMap(([name, option]) => {
    const value = options[option.attributeName()] as string | number | true | undefined;
    if (value === undefined) return [];
    return [[name, isMoment(name) ? (startOfPeriod(value as string | number, now) ?? "") : value] as const];
  });
  return Object.fromEntries(fields);
}

function optionsOf({ shape }: z.ZodObject<Shape>): Map<string, Option> {
  return new Map(Object.entries(shape).map(([name, field]) => [name, toOption(name, field.unwrap() as z.ZodType)]));
}

function toOption(name: string, schema: z.ZodType): Option {
  const flag = `--${otherNames[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const [text = "", ...more] = (schema.description ?? "").split(/\.(?: |$)/).filter(Boolean);
  if (isMoment(name))
    return new Option(`${flag} <time>`, `${text}: ISO 8601, or a period before now, e.g. 24h`).argParser(parseSince);
  const description = [text, ...more].join(". ");
  if (schema instanceof z.ZodLiteral) return new Option(flag, description);
  if (schema instanceof z.ZodEnum)
    return new Option(`${flag} <${valueNames[name] ?? name}>`, description).choices(schema.options.map(String));
  const isNumber = schema instanceof z.ZodNumber;
  const option = new Option(`${flag} <${valueNames[name] ?? (isNumber ? "number" : "id")}>`, description);
  if (isNumber) return option.argParser((value) => parseNumber(value, schema));
  const isId = schema instanceof z.ZodString && schema.def.checks?.some((check) => "pattern" in check._zod.def);
  return isId ? option.argParser((value) => parseText(value, schema)) : option;
}

function parseText(value: string, schema: z.ZodString): string {
  const { data, error } = schema.safeParse(value);
  if (error) throw new InvalidArgumentError(`${error.issues[0]?.message}.`);
  return data;
}

function parseNumber(value: string, schema: z.ZodNumber): number {
  const parsed = schema.safeParse(value.trim() === "" ? Number.NaN : Number(value));
  if (parsed.success) return parsed.data;
  const { minValue, maxValue, isInt } = schema;
  const what = isInt ? "a whole number" : "a number";
  const range =
    (maxValue ?? Infinity) < Number.MAX_SAFE_INTEGER ? `from ${minValue} to ${maxValue}` : `of at least ${minValue}`;
  throw new InvalidArgumentError(`It must be ${what} ${range}.`);
}
