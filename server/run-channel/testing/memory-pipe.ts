import { Duplex } from "node:stream";

/** Must call each function once, in the order of the calls. */
export type Deliver = (push: () => void) => void;

/** Two connected streams in memory. Undelivered data is lost when either stream is destroyed. */
export function createPipe(deliver: Deliver = setImmediate): [Duplex, Duplex] {
  const first = new PipeEnd(deliver);
  const second = new PipeEnd(deliver);
  first.other = second;
  second.other = first;
  return [first, second];
}

class PipeEnd extends Duplex {
  other: PipeEnd | null = null;
  private readonly deliver: Deliver;

  constructor(deliver: Deliver) {
    super({ allowHalfOpen: true });
    this.deliver = deliver;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.pass(chunk);
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.pass(null);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const { other } = this;
    // If the stream was ended, the other side closes after it has read everything.
    if (!this.writableFinished) other?.destroy();
    done(error);
  }

  private pass(chunk: Buffer | null): void {
    this.deliver(() => {
      if (this.other && !this.other.destroyed) this.other.push(chunk);
    });
  }
}
