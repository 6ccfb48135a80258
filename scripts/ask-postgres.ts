import { Client } from "pg";

/** The rows that one statement gives, by a connection of its own. It finds the tables of the store without their schema. */
export async function askPostgres<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url, options: "-c search_path=public,signalbox" });
  await client.connect();
  try {
    return (await client.query<Row & Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
