import { expect, it } from "vitest";
import { checkAnswer } from "./durable-answer.ts";

const write = `21 pwrite64(23</p/.signalbox/signalbox.db-wal>, "\\0\\0"..., 4096, 32) = 4096`;
const sync = `21 fdatasync(23</p/.signalbox/signalbox.db-wal>) = 0`;
const answer = `21 writev(30<socket:[1]>, [{iov_base="HTTP/1.1 202 Accepted\\r\\n"..., iov_len=300}], 1) = 300`;

it("a response is durable if the log is flushed to disk after its last write and before the response", () => {
  expect(checkAnswer([write, write, sync, answer, write])).toBe("durable");
  expect(checkAnswer([write, sync, write, answer, sync])).toBe("too early");
  expect(checkAnswer([write, answer, sync])).toBe("too early");
  expect(checkAnswer([write, sync.replace("= 0", "= -1 EIO (Input/output error)"), answer])).toBe("too early");
  expect(checkAnswer([write, sync.replace("signalbox.db-wal", "other"), answer])).toBe("too early");
  expect(checkAnswer([answer])).toBe("too early");
  expect(checkAnswer([write, sync])).toBe("no answer");
});
