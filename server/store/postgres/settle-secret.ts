import type { Pool } from "pg";
import { AppError } from "../../contract/app-error.ts";
import { transact } from "./transact.ts";

export interface SecretOfMachine {
  /** Tells secrets apart, and gives none away. */
  fingerprint: string;
  /** Puts it in force in the place of another. */
  isReplacing?: boolean;
}

/**
 * All machines of a store seal keys and sign cookies with one secret: the first that came, or the one that was put in
 * its place. Throws AppError `store_unusable` where this machine has another.
 */
export async function settleSecret(
  pool: Pool,
  { fingerprint, isReplacing, name }: SecretOfMachine & { name: string },
): Promise<void> {
  const inForce = await transact(pool, async (session) => {
    const conflict = isReplacing ? "UPDATE SET value = excluded.value" : "NOTHING";
    await session.change(
      `INSERT INTO store_fact (name, value) VALUES ('secret', $1) ON CONFLICT (name) DO ${conflict}`,
      [fingerprint],
    );
    return (await session.rows<{ value: string }>("SELECT value FROM store_fact WHERE name = 'secret'"))[0]?.value;
  });
  if (inForce === fingerprint) return;
  throw new AppError(
    "store_unusable",
    `This machine has another secret than those that use ${name} already: it could neither show their keys nor know whom they signed in. Give all of them the same SIGNALBOX_SECRET (where none is set, each makes its own in .signalbox/secret). If it was changed on purpose, stop the others, and start one with \`signalbox start --new-secret\`.`,
  );
}
