/**
 * Maximum milliseconds. `pageMs` is for a page. `emptyPageMs`, which includes pauses, is for a page that continues a
 * list and finds no row. `sqliteScanMs` is for one scan of SQLite, which blocks the event loop. `countMs` is for
 * counting a list. Tests of the content of lists raise them.
 */
export const listBudget = { pageMs: 30, emptyPageMs: 1_000, sqliteScanMs: 5, countMs: 40 };
