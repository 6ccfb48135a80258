import { expect, it } from "vitest";
import { createRequestSlots } from "./request-slots.ts";

const ada = { kind: "webhook", keyId: "key_ada" } as const;
const eve = { kind: "webhook", keyId: "key_eve" } as const;

it("a key has four exports at once; other keys and other kinds of requests do not notice, and a slot is freed once", () => {
  const takeSlot = createRequestSlots();
  const [first] = Array.from({ length: 4 }, () => takeSlot("export", ada));
  const full = expect.objectContaining({ code: "rate_limited" });
  expect(() => takeSlot("export", ada)).toThrow(full);
  takeSlot("export", eve);
  takeSlot("list", ada);
  first?.();
  first?.();
  takeSlot("export", ada);
  expect(() => takeSlot("export", ada)).toThrow(full);
});
