import { createServer } from "node:http";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";

/**
 * What this machine can do at most with the same promise: node:http and SQLite, `synchronous=FULL`, group commit, one
 * table with a partial index over what is open. No keys, no schemas, no verdicts, no steps, no crash of a run that it
 * would survive. `--worker`: also executes what it accepted, on the same event loop. Sends its port by IPC.
 */
const { values } = parseArgs({
  options: { file: { type: "string", default: "" }, worker: { type: "boolean", default: false } },
});
const db = new Database(values.file);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.exec(`CREATE TABLE job (id INTEGER PRIMARY KEY, state TEXT NOT NULL, received_at INTEGER NOT NULL, body BLOB NOT NULL, result TEXT);
CREATE INDEX job_open ON job (state, id) WHERE state IN ('queued', 'running');`);
const insert = db.prepare<[number, Buffer]>("INSERT INTO job (state, received_at, body) VALUES ('queued', ?, ?)");
const claim = db.prepare<[], { id: number; body: Buffer }>(
  "UPDATE job SET state = 'running' WHERE id IN (SELECT id FROM job WHERE state = 'queued' ORDER BY id LIMIT 256) AND state = 'queued' RETURNING id, body",
);
const finish = db.prepare<[string, number]>(
  "UPDATE job SET state = 'completed', result = ? WHERE id = ? AND state = 'running'",
);

interface Accept {
  body: Buffer;
  answer: (id: number | bigint) => void;
}
let accepts: Accept[] = [];
let ends: { id: number; result: string }[] = [];
let isFlushing = false;
let open = 0;

const commit = db.transaction((batch: readonly Accept[], ended: typeof ends) => {
  const now = Date.now();
  const ids = batch.map(({ body }) => insert.run(now, body).lastInsertRowid);
  for (const { id, result } of ended) finish.run(result, id);
  return { ids, claimed: values.worker && open + ids.length > 0 ? claim.all() : [] };
});

function flushSoon(): void {
  if (isFlushing) return;
  isFlushing = true;
  setImmediate(flush);
}

function flush(): void {
  isFlushing = false;
  const [batch, ended] = [accepts, ends];
  accepts = [];
  ends = [];
  const { ids, claimed } = commit.immediate(batch, ended);
  open += ids.length - claimed.length;
  for (const [at, { answer }] of batch.entries()) answer(ids[at] ?? 0);
  for (const { id, body } of claimed) void execute(id, body);
  if (values.worker && open > 0) flushSoon();
}

async function execute(id: number, body: Buffer): Promise<void> {
  const result = await run(JSON.parse(body.toString("utf8")));
  ends.push({ id, result: JSON.stringify(result) });
  flushSoon();
}

async function run(_input: unknown): Promise<{ ok: true }> {
  return { ok: true };
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    JSON.parse(body.toString("utf8"));
    accepts.push({
      body,
      answer: (id) => {
        const text = `{"ok":true,"id":${id}}`;
        response.writeHead(202, { "Content-Type": "application/json", "Content-Length": text.length });
        response.end(text);
      },
    });
    flushSoon();
  });
});
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
process.on("disconnect", () => process.exit());
