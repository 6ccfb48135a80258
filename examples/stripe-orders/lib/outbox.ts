import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes the message that a real workflow would send to a file in `outbox/`. The working directory of a workflow is the
 * project folder. Writing the file twice has the same result.
 */
export async function putIntoOutbox(name: string, content: object): Promise<void> {
  const outbox = join(process.cwd(), "outbox");
  await mkdir(outbox, { recursive: true });
  await writeFile(join(outbox, name), `${JSON.stringify(content, null, 2)}\n`);
}
