import { expect, it, vi } from "vitest";
import { downloadResponse } from "./download-response.ts";

it("a reader that leaves while the next piece is made is no error, and nothing more is made", async () => {
  const [asked, made] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = Promise.withResolvers<void>();
  const onError = vi.fn<(error: unknown) => void>();
  async function* pieces() {
    try {
      yield "first";
      asked.resolve();
      await made.promise;
      yield "second";
    } finally {
      ended.resolve();
    }
  }
  const { body } = await downloadResponse({
    pieces: pieces(),
    contentType: "text/csv",
    fileName: "a.csv",
    stopping: new AbortController().signal,
    onError,
  });
  const reader = body?.getReader();
  await reader?.read();
  const pending = reader?.read();
  await asked.promise;
  const left = reader?.cancel();
  made.resolve();
  await Promise.all([pending, left, ended.promise]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(onError).not.toHaveBeenCalled();
});
