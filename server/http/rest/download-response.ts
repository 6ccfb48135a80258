/**
 * A file that is made while it is sent, only as fast as it is taken. It is begun at once, so that what cannot be begun
 * is answered as a problem. When the reader leaves, or `stopping` is aborted, making it ends; a file that breaks off
 * ends its connection, so that nobody takes it for whole.
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
