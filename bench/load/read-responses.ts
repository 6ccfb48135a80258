/**
 * Reads HTTP/1.1 responses from one connection, and reports the status of each when its last byte has arrived. Bodies
 * are skipped as they arrive and never collected, so that a large one costs the client little. Not supported, because
 * no server here needs it: trailers, 1xx, and bodies that end with the connection.
 */
export function createResponseReader(onResponse: (status: number) => void): (chunk: Buffer) => void {
  let expects: "head" | "body" | "chunk size" | "chunk" = "head";
  let status = 0;
  /** Bytes to skip: the rest of a body, or of a chunk with its line end. */
  let remaining = 0;
  /** The beginning of a head or of a chunk size. */
  let incomplete: Buffer | null = null;

  function end(): void {
    expects = "head";
    onResponse(status);
  }

  /** Returns the end of the head or of the chunk size that begins at `at`, or -1 if it is incomplete. */
  function readText(bytes: Buffer, at: number): number {
    const separator = expects === "head" ? "\r\n\r\n" : "\r\n";
    const found = bytes.indexOf(separator, at);
    if (found < 0) return -1;
    const text = bytes.toString("latin1", at, found);
    if (expects === "head") readHead(text);
    else readChunkSize(text);
    return found + separator.length;
  }

  function readHead(head: string): void {
    status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    if (!length && /\r\ntransfer-encoding: *chunked/i.test(head)) {
      expects = "chunk size";
      return;
    }
    expects = "body";
    remaining = Number(length?.[1] ?? 0);
    if (remaining === 0) end();
  }

  function readChunkSize(line: string): void {
    const size = Number.parseInt(line, 16);
    if (Number.isNaN(size)) throw new Error("A response has a chunk without a size");
    // The last chunk is empty, and its line end is the end of the response.
    expects = size === 0 ? "body" : "chunk";
    remaining = size + 2;
  }

  function skip(available: number): number {
    const skipped = Math.min(available, remaining);
    remaining -= skipped;
    if (remaining === 0 && expects === "body") end();
    else if (remaining === 0) expects = "chunk size";
    return skipped;
  }

  return (chunk) => {
    const bytes = incomplete ? Buffer.concat([incomplete, chunk]) : chunk;
    incomplete = null;
    for (let at = 0; at < bytes.length;) {
      if (expects === "body" || expects === "chunk") {
        at += skip(bytes.length - at);
        continue;
      }
      const next = readText(bytes, at);
      if (next < 0) {
        // The caller may reuse the memory of the chunk.
        incomplete = Buffer.from(bytes.subarray(at));
        return;
      }
      at = next;
    }
  };
}
