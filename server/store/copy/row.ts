/** The values of a row in the order of the plan's columns, in the form of the database. JSON can have any content. */
export type Row = readonly Value[];
export type Value = string | number | boolean | Uint8Array | null;
