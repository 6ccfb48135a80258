import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { textNeedles } from "../../../matching/text/text-needles.ts";

/** True if one of the columns contains the text. Bytes are compared, with ASCII letters in lower case. */
export function hasText(columns: readonly SQLWrapper[], text: string): SQL {
  const needles = textNeedles(text);
  const finds = columns.flatMap((column) =>
    needles.map((needle) => sql`instr(CAST(lower(CAST(${column} AS TEXT)) AS BLOB), ${needle}) > 0`),
  );
  return sql`(${sql.join(finds, sql` OR `)})`;
}
