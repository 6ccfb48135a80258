import { isDeepStrictEqual } from "node:util";
import type { DefaultValue, Finding, NodeReport, UserRegex } from "./finding.ts";
import { inspectZod3 } from "./inspect-zod3.ts";
import { inspectZod4 } from "./inspect-zod4.ts";
import { isZod3, isZod4 } from "./zod-node.ts";

/** The path of a finding in a schema, e.g. `["items", "[]", "amount"]`. */
type At = { path: readonly string[] };

export interface SchemaReport {
  findings: (Finding & At)[];
  regexes: (UserRegex & At)[];
}

/**
 * Walks a schema of Zod 4 or Zod 3 and reports every part that cannot be exported to JSON Schema, once, at the first
 * path to it. Recursive schemas are visited once.
 */
export async function lintSchema(root: unknown): Promise<SchemaReport> {
  const report: SchemaReport = { findings: [], regexes: [] };
  const defaults: (DefaultValue & At)[] = [];
  const seen = new Set<unknown>();

  const visit = (schema: unknown, path: readonly string[]): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const node = inspect(schema);
    const at = <T extends object>(found: T): T & At => ({ ...found, path });
    report.findings.push(...node.findings.map(at));
    report.regexes.push(...node.regexes.map(at));
    defaults.push(...node.defaults.map(at));
    for (const child of node.children) visit(child.schema, child.step === null ? path : [...path, child.step]);
  };
  visit(root, []);
  report.findings.push(...(await findVaryingDefaults(defaults)));
  return report;
}

function inspect(schema: unknown): NodeReport {
  if (isZod4(schema)) return inspectZod4(schema);
  if (isZod3(schema)) return inspectZod3(schema);
  return {
    findings: [{ kind: "not-zod", method: "not a Zod schema", origin: null }],
    regexes: [],
    defaults: [],
    children: [],
  };
}

/** A constant default and a function look the same, so the value is read twice, at different times. */
async function findVaryingDefaults(defaults: readonly (DefaultValue & At)[]): Promise<(Finding & At)[]> {
  if (defaults.length === 0) return [];
  const first = defaults.map((each) => each.read());
  const start = Date.now();
  while (Date.now() - start < 2) await new Promise((resolve) => setImmediate(resolve));
  return defaults.flatMap((each, index) => {
    const value = each.read();
    const isConstant = isDeepStrictEqual(value, first[index]) && isDeepStrictEqual(value, throughJson(value));
    return isConstant ? [] : [{ kind: "default" as const, method: ".default()", origin: each.origin, path: each.path }];
  });
}

function throughJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}
