/** As a database gives and takes it, whatever JSON it may hold: values by the columns of the plan. */
export type Row = readonly Value[];
export type Value = string | number | boolean | Uint8Array | null;
