import type { Pool } from "pg";
import { AppError } from "../../contract/app-error.ts";
import { transact } from "./connection/transact.ts";

export interface SecretOfMachine {
  /** Distinguishes secrets without revealing them. */
  fingerprint: string;
  /** Whether it replaces another secret. */
  isReplacing?: boolean;
}

/**
 * All machines of a store seal keys and sign cookies with the same secret: that of the first machine, or the one that
 * replaced it. Throws AppError `store_unusable` if this machine has another.
 */
export async function settleSecret(
  pool: Pool,
  { fingerprint, isReplacing, name }: SecretOfMachine & { name: string },
): Promise<void> {
  const inForce = await transact(pool, async (session) => {
    const conflict = isReplacing ? "UPDATE SET value = excluded.value" : "NOTHING";
    await session.change(
      `INSERT INTO signalbox.store_fact (name, value) VALUES ('secret', $1) ON CONFLICT (name) DO ${conflict}`,
      [fingerprint],
    );
    return (await session.rows<{ value: string }>("SELECT value FROM signalbox.store_fact WHERE name = 'secret'"))[0]
      ?.value;
  });
  if (inForce === fingerprint) return;
  throw new AppError(
    "store_unusable",
    `This machine has another secret than the machines that already use ${name}. It could not show their keys, and their sessions would be invalid.`,
    {
      fix: "Set the same SIGNALBOX_SECRET on all machines. Without it, each machine creates its own in .signalbox/secret. If you changed the secret on purpose, stop the other machines and start one with `signalbox start --new-secret`.",
    },
  );
}
