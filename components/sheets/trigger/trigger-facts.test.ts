import { expect, it } from "vitest";
import { describeDedupe, promptParts } from "./trigger-facts.ts";

it("deduplication is described with its event id and its window", () => {
  expect(describeDedupe({ header: "x-github-delivery", field: null, windowMs: 86_400_000 })).toBe(
    "by the header x-github-delivery, for 1 d",
  );
  expect(describeDedupe({ header: null, field: "/event/id", windowMs: 90_000 })).toBe(
    "by /event/id in the body, for 1 min 30 s",
  );
  expect(describeDedupe({ header: null, field: null, windowMs: 3_600_000 })).toBe(
    "by the standard headers or the signed content, for 1 h",
  );
});

it("the placeholders of a template are marked, escaped braces are not", () => {
  expect(promptParts("From {{ customer.email }}: \\{{ not }} {{a}}")).toEqual([
    { text: "From ", isPlaceholder: false },
    { text: "{{ customer.email }}", isPlaceholder: true },
    { text: ": {{ not }} ", isPlaceholder: false },
    { text: "{{a}}", isPlaceholder: true },
  ]);
});
