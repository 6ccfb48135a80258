import { expect, test } from "vitest";
import type { Verdict } from "../contract/verdict.ts";
import { redactVerdicts } from "./redact-verdicts.ts";

const key = "sbk_0123456789abcdefghijklmn";
const verdict: Verdict = {
  trigger: "signup",
  attachmentId: "signup:note",
  target: { kind: "workflow", slug: "note" },
  outcome: "request_mismatch",
  runId: null,
  reasons: [
    {
      pointer: `/${key}`,
      code: "unrecognized_keys",
      message: `Unrecognized key: "${key}"`,
      expected: "a string",
      actual: `{"${key}": 1}`,
    },
  ],
};

test("a key that slipped into the body is not in what triggers say of it, be they listed or folded", () => {
  const folded = { common: [null], actuals: { "/name": `"${key}"`, "/age": null }, own: [verdict], places: [0] };
  for (const verdicts of [[verdict], folded]) {
    const text = JSON.stringify(redactVerdicts(verdicts));
    expect(text).not.toContain(key);
    expect(text).toContain("[redacted]");
  }
  expect(redactVerdicts(folded)).toMatchObject({ actuals: { "/name": '"[redacted]"', "/age": null } });
});
