import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";

const journalSchema = z.object({ entries: z.array(z.object({ idx: z.int(), tag: z.string() })) });

/** The migrations that drizzle-kit wrote into a folder, in their order. */
export function readJournal(folder: string): string[] {
  const journal = journalSchema.parse(JSON.parse(readFileSync(join(folder, "meta", "_journal.json"), "utf8")));
  return journal.entries.sort((a, b) => a.idx - b.idx).map((entry) => entry.tag);
}

/** How many are applied. Refuses a database with migrations that this code does not have. */
export function countApplied(applied: readonly string[], { known, name }: { known: readonly string[]; name: string }): number {
  const stranger = applied.find((tag, position) => known[position] !== tag);
  if (stranger === undefined) return applied.length;
  throw new AppError(
    "store_unusable",
    `The database ${name} was written by a newer Signalbox (its schema has ${stranger}, this version knows ${known.at(-1) ?? "none"}). Upgrade signalbox, or restore the backup from before the upgrade.`,
  );
}
