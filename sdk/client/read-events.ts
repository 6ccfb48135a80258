import { ConnectionError } from "./errors.ts";
import { reasonOf } from "./transport.ts";

/** A server-sent event. */
export interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

/** The service sends a comment after every 15 seconds of silence. */
const maxSilenceMs = 45_000;

/**
 * The events of a stream (WHATWG HTML, 9.2.6); `null` for a comment, which shows that the connection works. Throws a
 * ConnectionError if the connection breaks or is silent for too long.
 */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent | null> {
  const reader = stream.getReader();
  const onAbort = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", onAbort);
  const decoder = new TextDecoder();
  const parse = createEventParser();
  try {
    for (;;) {
      const { done, value } = await readWithin(reader);
      signal?.throwIfAborted();
      if (done) return;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    void reader.cancel().catch(() => {});
  }
}

async function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ done: boolean; value?: Uint8Array | undefined }> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ConnectionError("The stream of events was silent for too long.")),
      maxSilenceMs,
    );
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (cause) {
    if (cause instanceof ConnectionError) throw cause;
    throw new ConnectionError(`The stream of events was interrupted: ${reasonOf(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Takes the text of a stream in any pieces, and returns the events and comments that each completes. */
export function createEventParser(): (piece: string) => (ServerEvent | null)[] {
  let rest = "";
  let fields = new Map<string, string>();

  function takeLine(line: string): (ServerEvent | null)[] {
    if (line === "") {
      const data = fields.get("data");
      const event = { id: fields.get("id") ?? "", event: fields.get("event") ?? "message", data: data ?? "" };
      fields = new Map();
      return data === undefined ? [] : [event];
    }
    if (line.startsWith(":")) return [null];
    const [, name = line, value = ""] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
    const known = name === "data" ? fields.get("data") : undefined;
    fields.set(name, known === undefined ? value : `${known}\n${value}`);
    return [];
  }

  return (piece) => {
    rest += piece;
    // A line feed may follow a carriage return at the end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    return lines.flatMap(takeLine);
  };
}
