import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * What a real workflow would send: a file in `outbox/`. Workflows run in the project's folder, and writing twice leaves
 * the same file.
 */
export async function putIntoOutbox(name: string, content: object): Promise<void> {
  const outbox = join(process.cwd(), "outbox");
  await mkdir(outbox, { recursive: true });
  await writeFile(join(outbox, name), `${JSON.stringify(content, null, 2)}\n`);
}
