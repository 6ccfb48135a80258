import { type Column, type SQL, sql } from "drizzle-orm";
import { textNeedles } from "../../../matching/text/text-needles.ts";

/** Whether one of the columns, which have JSON as text, contains the text. ASCII letters are compared in lower case. */
export function jsonHasText(columns: readonly Column[], text: string): SQL {
  const finds = columns.flatMap((column) =>
    textNeedles(text).map((needle) => sql`position(${needle.toString()} in lower(${column} COLLATE "C")) > 0`),
  );
  return sql`(${sql.join(finds, sql` OR `)})`;
}

/**
 * The same for bytes. Each byte is compared as the character with its number. Postgres does not allow the character 0
 * in a string. Bytes with a zero, which JSON never has, are therefore converted one by one, which is slow; a zero
 * becomes the character 256.
 */
export function bytesHaveText(column: Column, text: string): SQL {
  const numbered = sql`(SELECT string_agg(chr(coalesce(nullif(get_byte(${column}, n), 0), 256)), '' ORDER BY n) FROM generate_series(0, length(${column}) - 1) n)`;
  const characters = sql`CASE WHEN position('\\x00'::bytea in ${column}) = 0 THEN convert_from(${column}, 'LATIN1') ELSE ${numbered} END`;
  const finds = textNeedles(text).map(
    (needle) => sql`position(${needle.toString("latin1").replaceAll("\0", "\u0100")} in t.characters) > 0`,
  );
  return sql`(SELECT ${sql.join(finds, sql` OR `)} FROM (SELECT lower((${characters}) COLLATE "C") AS characters OFFSET 0) t)`;
}
