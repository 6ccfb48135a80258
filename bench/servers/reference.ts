import { createServer } from "node:http";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";

/**
 * The limit of this machine for the same durability: node:http and SQLite, `synchronous=FULL`, group commit, one table
 * with a partial index over the open rows. No keys, schemas, verdicts or steps, and no recovery of runs after a crash.
 * `--worker`: each accepted job is inserted as running and executed on the same event loop, and its end is part of the
 * next group commit. Sends its port by IPC.
 */
const { values } = parseArgs({
  options: { file: { type: "string", default: "" }, worker: { type: "boolean", default: false } },
});
const states = { queued: 0, running: 1, completed: 2 };
const db = new Database(values.file);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.exec(`CREATE TABLE job (id INTEGER PRIMARY KEY, state INTEGER NOT NULL, received_at INTEGER NOT NULL, ended_at INTEGER, result TEXT, body BLOB NOT NULL);
CREATE INDEX job_open ON job (state, id) WHERE state < ${states.completed};`);
const insert = db.prepare<[number, number, Buffer]>("INSERT INTO job (state, received_at, body) VALUES (?, ?, ?)");
const finish = db.prepare<[number, number, string, number]>(
  "UPDATE job SET state = ?, ended_at = ?, result = ? WHERE id = ?",
);

interface Accept {
  body: Buffer;
  input: unknown;
  respond: (id: number) => void;
}
interface End {
  id: number;
  result: string;
}
let accepts: Accept[] = [];
let ends: End[] = [];
let accepting: NodeJS.Immediate | null = null;
let ending: NodeJS.Timeout | null = null;
/** Ends wait so long for accepts, to share their commit. */
const maxEndWaitMs = 5;

const commit = db.transaction((batch: readonly Accept[], ended: readonly End[]): number[] => {
  const now = Date.now();
  for (const { id, result } of ended) finish.run(states.completed, now, result, id);
  const state = values.worker ? states.running : states.queued;
  return batch.map(({ body }) => Number(insert.run(state, now, body).lastInsertRowid));
});

function flush(): void {
  if (accepting) clearImmediate(accepting);
  if (ending) clearTimeout(ending);
  accepting = ending = null;
  const [batch, ended] = [accepts, ends];
  accepts = [];
  ends = [];
  const ids = commit.immediate(batch, ended);
  for (const [at, { respond }] of batch.entries()) respond(ids[at] ?? 0);
  if (values.worker) for (const [at, { input }] of batch.entries()) void execute(ids[at] ?? 0, input);
}

async function execute(id: number, input: unknown): Promise<void> {
  const result = await run(input);
  ends.push({ id, result: JSON.stringify(result) });
  ending ??= setTimeout(flush, maxEndWaitMs);
}

async function run(_input: unknown): Promise<{ ok: true }> {
  return { ok: true };
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    accepts.push({
      body,
      input: JSON.parse(body.toString("utf8")),
      respond: (id) => {
        const text = `{"ok":true,"id":${id}}`;
        response.writeHead(202, { "Content-Type": "application/json", "Content-Length": text.length });
        response.end(text);
      },
    });
    accepting ??= setImmediate(flush);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
process.on("disconnect", () => process.exit());
