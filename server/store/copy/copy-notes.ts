import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import { copyMark, readJournal } from "../shared/migration-journal.ts";
import type { CopiedTable } from "./copy-plan.ts";
import type { CopySource, TableProgress, TableReader } from "./table-rows.ts";

/** The source of a copy. */
export type CopyOrigin = Pick<CopySource, "identity" | "name">;

/** The state of a copy, stored in its target in the table `store_copy`, which the copy drops at its end. */
export interface CopyNotes {
  /** The folder of the target's migrations. */
  folder: string;
  hasTables(): Promise<boolean>;
  hasSchema(): Promise<boolean>;
  /** Tags of the applied migrations, including the tag of the copy mark. */
  applied(): Promise<string[]>;
  /** Reserves the target for the copy, in one transaction: no other process can open it afterwards. */
  begin(origin: string): Promise<void>;
  /** By table name. The source has the empty name. */
  list(): Promise<Map<string, string>>;
}

const originSchema = z.object({ identity: z.string(), name: z.string() });
const progressSchema = z.object({
  after: z.array(z.union([z.string(), z.number()])).nullable(),
  rows: z.int(),
  isWhole: z.boolean(),
});

/**
 * Continues an interrupted copy, or starts one in an empty store. Rejects with AppError `store_unusable` if the target
 * is neither.
 */
export async function beginCopy(p: {
  origin: CopyOrigin;
  reader: Pick<TableReader, "name" | "countRows">;
  notes: CopyNotes;
  tables: readonly CopiedTable[];
  migrate: () => void | Promise<void>;
}): Promise<Map<string, TableProgress>> {
  const { origin, reader, notes, tables } = p;
  const isStarted = (await notes.hasSchema()) && (await notes.applied()).includes(copyMark.tag);
  if (isStarted) return continueCopy(p);
  if ((await notes.hasTables()) && !(await notes.hasSchema()))
    throw new AppError("store_unusable", `${reader.name} contains other tables.`, {
      fix: "Use a separate database for the copy.",
    });
  await p.migrate();
  for (const table of tables) {
    const rows = await reader.countRows(table);
    if (rows > 0)
      throw new AppError(
        "store_unusable",
        `${reader.name} is not empty: its table ${table.name} has ${rows === 1 ? "a row" : `${rows} rows`}.`,
        { fix: "The target of a copy must be an empty store, or the target of the same unfinished copy." },
      );
  }
  await notes.begin(JSON.stringify({ identity: origin.identity, name: origin.name }));
  return new Map();
}

async function continueCopy({
  origin,
  reader,
  notes,
}: {
  origin: CopyOrigin;
  reader: Pick<TableReader, "name">;
  notes: CopyNotes;
}): Promise<Map<string, TableProgress>> {
  const applied = (await notes.applied()).filter((tag) => tag !== copyMark.tag);
  if (applied.join() !== readJournal(notes.folder).join())
    throw new AppError("store_unusable", `Another version of Signalbox started the copy in ${reader.name}.`, {
      fix: "Empty the target and start again.",
    });
  const all = await notes.list();
  const source = originSchema.parse(JSON.parse(all.get("") ?? "null"));
  if (source.identity !== origin.identity)
    throw new AppError("store_unusable", `${reader.name} has an unfinished copy of another store, ${source.name}.`, {
      fix: "Continue that copy, or empty the target and start again.",
    });
  all.delete("");
  return new Map([...all].map(([name, value]) => [name, progressSchema.parse(JSON.parse(value))]));
}
