import type { Client, Connection, Submittable } from "pg";

/** What the driver's connection has for COPY, which its types leave out. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
}

/** Of one message to the server. */
const chunkBytes = 64 * 1024;

/**
 * `COPY … FROM STDIN`, with everything at hand. The driver calls what handles the answers by these names, as those of
 * its own queries.
 */
export function copyIn(client: Client, text: string, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | null = null;
    client.query<Submittable & Record<string, unknown>>({
      submit: (connection: Connection) => connection.query(text),
      handleCopyInResponse(connection: CopyConnection) {
        for (let at = 0; at < bytes.length; at += chunkBytes)
          connection.sendCopyFromChunk(bytes.subarray(at, at + chunkBytes));
        connection.endCopyFrom();
      },
      handleCommandComplete() {},
      handleError(error: Error) {
        failure ??= error;
        // The connection is gone: nothing follows.
        if (!("severity" in error)) reject(error);
      },
      handleReadyForQuery: () => (failure ? reject(failure) : resolve()),
    });
  });
}
