import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The working directory of a workflow is the project folder. */
const outbox = () => join(process.cwd(), "outbox");

/** Writes a file to `outbox/`. Writing it twice has the same result. */
export async function putFile(name: string, text: string): Promise<void> {
  await mkdir(outbox(), { recursive: true });
  await writeFile(join(outbox(), name), text);
}

/**
 * Appends a line to a file in `outbox/`, unless the file has a line with this key. A step that is interrupted before
 * its result is stored is executed again with the same idempotency key.
 */
export async function appendOnce(p: { file: string; key: string; line: string }): Promise<void> {
  const path = join(outbox(), p.file);
  await mkdir(outbox(), { recursive: true });
  // "a+" creates the file if it is missing.
  const text = await readFile(path, { encoding: "utf8", flag: "a+" });
  if (text.includes(p.key)) return;
  await appendFile(path, `${p.line}\n`);
}
