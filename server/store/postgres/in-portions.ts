/** A statement takes 65,535 parameters: at 20 columns so many rows are far from it. */
const mostRows = 1_000;
/** And it is held in memory as a whole, here and there. */
const mostBytes = 8 * 1024 * 1024;

/** The rows in as many statements as they need. */
export function inPortions<Row>(rows: readonly Row[], bytesOf: (row: Row) => number = () => 0): Row[][] {
  const portions: Row[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const last = portions.at(-1);
    bytes += bytesOf(row);
    if (last && last.length < mostRows && bytes <= mostBytes) last.push(row);
    else {
      portions.push([row]);
      bytes = bytesOf(row);
    }
  }
  return portions;
}
