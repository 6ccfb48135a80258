import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";

const journalSchema = z.object({ entries: z.array(z.object({ idx: z.int(), tag: z.string() })) });

/** The migrations that drizzle-kit wrote into a folder, in order. */
export function readJournal(folder: string): string[] {
  const journal = journalSchema.parse(JSON.parse(readFileSync(join(folder, "meta", "_journal.json"), "utf8")));
  return journal.entries.sort((a, b) => a.idx - b.idx).map((entry) => entry.tag);
}

/**
 * Recorded among the migrations of a store during a copy into it, so that no process opens the store before the copy is
 * complete.
 */
export const copyMark = { position: 1_000_000, tag: "a store copy is under way" } as const;

/**
 * The number of applied migrations. Throws AppError `store_unusable` for a database with unknown migrations, and for
 * the target of an unfinished copy.
 */
export function countApplied(
  applied: readonly string[],
  { known, name }: { known: readonly string[]; name: string },
): number {
  const unknown = applied.find((tag, position) => known[position] !== tag);
  if (unknown === undefined) return applied.length;
  if (unknown === copyMark.tag) {
    throw new AppError("store_unusable", `${name} is the target of an unfinished \`signalbox store copy\`.`, {
      fix: "Run the same `signalbox store copy` again: it continues where it stopped.",
    });
  }
  throw new AppError(
    "store_unusable",
    `The database ${name} was written by a newer Signalbox (its schema has ${unknown}, the latest of this version is ${known.at(-1) ?? "none"}).`,
    { fix: "Upgrade signalbox, or restore the backup from before the upgrade." },
  );
}
