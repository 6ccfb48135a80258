/**
 * A file that is generated while it is sent, with back-pressure. Generation starts before the response, so that an
 * early failure becomes a problem response. It stops when the client disconnects or `stopping` is aborted. An
 * incomplete file ends with its connection, so that clients detect it.
 */
export async function downloadResponse(p: {
  pieces: AsyncGenerator<string>;
  contentType: string;
  fileName: string;
  stopping: AbortSignal;
  onError: (error: unknown) => void;
}): Promise<Response> {
  const { pieces, stopping } = p;
  const encoder = new TextEncoder();
  let hasLeft = false;
  let next: IteratorResult<string> | null = await pieces.next();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          let piece = next ?? (await pieces.next());
          next = null;
          while (!piece.done && piece.value === "" && !stopping.aborted) piece = await pieces.next();
          // That the reader left is no error: there is nothing to write to.
          if (hasLeft) return;
          stopping.throwIfAborted();
          if (piece.done) controller.close();
          else controller.enqueue(encoder.encode(piece.value));
        } catch (error) {
          await pieces.return(undefined);
          if (hasLeft) return;
          p.onError(error);
          controller.error(error);
        }
      },
      async cancel() {
        hasLeft = true;
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, {
    headers: {
      "content-type": p.contentType,
      "content-disposition": `attachment; filename="${p.fileName}"`,
      "cache-control": "no-store",
    },
  });
}
