import { expect, it } from "vitest";
import { judgeAnswer } from "./durable-answer.ts";

const write = `21 pwrite64(23</p/.signalbox/signalbox.db-wal>, "\\0\\0"..., 4096, 32) = 4096`;
const sync = `21 fdatasync(23</p/.signalbox/signalbox.db-wal>) = 0`;
const answer = `21 writev(30<socket:[1]>, [{iov_base="HTTP/1.1 202 Accepted\\r\\n"..., iov_len=300}], 1) = 300`;

it("a response is durable if the log is flushed to disk after its last write and before the response", () => {
  expect(judgeAnswer([write, write, sync, answer, write])).toBe("durable");
  expect(judgeAnswer([write, sync, write, answer, sync])).toBe("too early");
  expect(judgeAnswer([write, answer, sync])).toBe("too early");
  expect(judgeAnswer([write, sync.replace("= 0", "= -1 EIO (Input/output error)"), answer])).toBe("too early");
  expect(judgeAnswer([write, sync.replace("signalbox.db-wal", "other"), answer])).toBe("too early");
  expect(judgeAnswer([answer])).toBe("too early");
  expect(judgeAnswer([write, sync])).toBe("no answer");
});
