/**
 * The condition of a join that looks up each value in the index of the column. With a plain `=`, Postgres can also read
 * the whole index and compare each of its rows with all values. If the table was almost empty when Postgres gathered
 * statistics, that seems to be cheaper, and it stays so until the next statistics. An index in the order of a join is
 * of no use for this condition. For the same reason, sort by the value, not by the column.
 */
export const looksUp = (column: string, value: string): string => `${column} = ANY(ARRAY[${value}])`;
