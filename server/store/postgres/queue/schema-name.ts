/** The schema of pg-boss, beside the tables of the store. */
export const schemaName = "pgboss";
