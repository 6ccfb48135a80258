import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { changeSource } from "./changed-source.ts";

/**
 * Given to `node --import` of the product's processes: sources are changed as they are loaded, so that nothing of a mutant is in
 * what is shipped. Every change that was made is noted in AUDIT_CHANGES_MADE.
 */
const changesSchema = z.array(z.object({ file: z.string(), find: z.string(), replace: z.string() }));
const changes = changesSchema.parse(JSON.parse(process.env["AUDIT_CHANGES"] ?? "[]"));
const madeFile = process.env["AUDIT_CHANGES_MADE"] ?? "";
const byUrl = Map.groupBy(changes, ({ file }) => pathToFileURL(join(import.meta.dirname, "../..", file)).href);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const wanted = byUrl.get(url.split("?")[0] ?? url);
    if (!wanted) return loaded;
    const source = wanted.reduce(changeSource, String(loaded.source));
    for (const change of wanted) appendFileSync(madeFile, `${JSON.stringify(change)}\n`);
    return { ...loaded, source };
  },
});
