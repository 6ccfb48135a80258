/** A statement has at most 65,535 parameters. This many rows with 20 columns need a third of them. */
const maxRows = 1_000;
/** This process and the server have the whole statement in memory. */
const maxBytes = 8 * 1024 * 1024;

/** Divides rows among as many statements as they need. */
export function inPortions<Row>(rows: readonly Row[], bytesOf: (row: Row) => number = () => 0): Row[][] {
  const portions: Row[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const last = portions.at(-1);
    bytes += bytesOf(row);
    if (last && last.length < maxRows && bytes <= maxBytes) last.push(row);
    else {
      portions.push([row]);
      bytes = bytesOf(row);
    }
  }
  return portions;
}
