import { expect, it } from "vitest";
import type { Verdict } from "../../../contract/delivery.ts";
import type { Names } from "../names.ts";
import { packVerdicts, unpackVerdicts } from "./verdicts.ts";

it("a verdict is read as it was written, with and without a target", () => {
  const texts: string[] = [];
  const idOf = (text: string) => (texts.includes(text) ? texts.indexOf(text) : texts.push(text) - 1);
  const names: Names = {
    idOf,
    looseIdOf: idOf,
    find: idOf,
    textOf: (id) => texts[id] ?? "unknown",
    begin: () => {},
  };
  const waking: Verdict = {
    trigger: "order-shipped",
    attachmentId: "order-shipped",
    target: null,
    outcome: "matched",
    runId: null,
    reasons: [],
  };
  const verdicts: Verdict[] = [
    waking,
    { ...waking, attachmentId: "order-shipped:audit", target: { kind: "workflow", slug: "audit" } },
  ];
  const list = { verdicts, unlistedVerdicts: [] };
  expect(unpackVerdicts(packVerdicts(list, names), names)).toEqual(list);
});
