/**
 * The cost of bodies with 200,000 invalid values: `node bench/wrong-items.ts bounded`, or `plain` for Zod without our
 * bound. Parses eight of them, one after the other. Prints the peak memory of the process, and the time.
 */
import { z } from "zod";
import * as z3 from "zod/v3";
import { parseBounded } from "../server/matching/schemas/parse-bounded.ts";
import type { AnySchema } from "../server/ports/project.ts";

const [way = "bounded", kind = "objects"] = process.argv.slice(2);
const schemas: Record<string, unknown> = {
  texts: z.object({ items: z.array(z.string()) }),
  objects: z.object({ items: z.array(z.object({ id: z.string(), at: z.number() })) }),
  zod3: z3.object({ items: z3.array(z3.string()) }),
};
const schema = schemas[kind] as AnySchema | undefined;
if (!schema || !["bounded", "plain", "nothing"].includes(way))
  throw new Error("usage: node bench/wrong-items.ts bounded|plain|nothing [texts|objects|zod3]");
const text = JSON.stringify({ items: Array.from({ length: 200_000 }, () => (kind === "objects" ? {} : 1)) });

const startedAt = performance.now();
let issues = 0;
for (let body = 0; body < 8; body += 1) {
  const json: unknown = JSON.parse(text);
  if (way === "nothing") continue;
  const parsed = way === "plain" ? schema.safeParse(json) : parseBounded(schema, json);
  if (!parsed.success) issues += parsed.error.issues.length;
}
const seconds = (performance.now() - startedAt) / 1000;
console.log(
  `${kind}, ${way}: ${text.length} bytes a body, ${issues} issues, ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB at most, ${seconds.toFixed(2)} s`,
);
