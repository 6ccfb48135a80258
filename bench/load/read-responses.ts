/**
 * Reads HTTP/1.1 answers off one connection, and returns the status of each when its last byte is there. As little as a
 * load client needs, so that it does not become what is measured: no trailers, no 1xx, no bodies that end with the
 * connection.
 */
export function createResponseReader(onResponse: (status: number) => void): (chunk: Buffer) => void {
  let rest: Buffer | null = null;
  return (chunk) => {
    let bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
    rest = null;
    while (bytes.length > 0) {
      const found = readResponse(bytes);
      if (!found) {
        // The chunk's memory may be reused by the caller.
        rest = Buffer.from(bytes);
        return;
      }
      onResponse(found.status);
      bytes = bytes.subarray(found.bytes);
    }
  };
}

/** The first response, or null if it is incomplete. */
function readResponse(bytes: Buffer): { status: number; bytes: number } | null {
  const headBytes = bytes.indexOf("\r\n\r\n");
  if (headBytes < 0) return null;
  const head = bytes.toString("latin1", 0, headBytes);
  const status = Number(head.slice(9, 12));
  const begin = headBytes + 4;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (length) {
    const end = begin + Number(length[1]);
    return end <= bytes.length ? { status, bytes: end } : null;
  }
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    const end = endOfChunks(bytes, begin);
    return end === null ? null : { status, bytes: end };
  }
  return { status, bytes: begin };
}

function endOfChunks(bytes: Buffer, begin: number): number | null {
  for (let at = begin; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error("An answer has a chunk without a size");
    const end = lineEnd + 2 + size + 2;
    if (end > bytes.length) return null;
    if (size === 0) return end;
    at = end;
  }
}
