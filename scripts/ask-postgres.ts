import { Client } from "pg";

/** The rows that one statement gives, by a connection of its own. */
export async function askPostgres<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Row & Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
