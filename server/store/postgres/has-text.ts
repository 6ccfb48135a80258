import { type Column, type SQL, sql } from "drizzle-orm";
import { textNeedles } from "../shared/text-needles.ts";

/** Whether one of the columns, of JSON as text, has the text: with ASCII letters in lower case. */
export function jsonHasText(columns: readonly Column[], text: string): SQL {
  const finds = columns.flatMap((column) =>
    textNeedles(text).map((needle) => sql`position(${needle.toString()} in lower(${column} COLLATE "C")) > 0`),
  );
  return sql`(${sql.join(finds, sql` OR `)})`;
}

/**
 * The same for bytes, each of which is looked at as the character of its number. No text of Postgres has a zero: bytes
 * with one (no JSON has it) are taken apart, which takes long, and it is the character 256 then.
 */
export function bytesHaveText(column: Column, text: string): SQL {
  const numbered = sql`(SELECT string_agg(chr(coalesce(nullif(get_byte(${column}, n), 0), 256)), '' ORDER BY n) FROM generate_series(0, length(${column}) - 1) n)`;
  const characters = sql`CASE WHEN position('\\x00'::bytea in ${column}) = 0 THEN convert_from(${column}, 'LATIN1') ELSE ${numbered} END`;
  const finds = textNeedles(text).map(
    (needle) => sql`position(${needle.toString("latin1").replaceAll("\0", "\u0100")} in t.characters) > 0`,
  );
  return sql`(SELECT ${sql.join(finds, sql` OR `)} FROM (SELECT lower((${characters}) COLLATE "C") AS characters OFFSET 0) t)`;
}
