import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AgentInput, agentInputSchema } from "../../../server/contract/agent/input.ts";
import { moveMarks, withLineFeeds } from "./move-marks.ts";

/** The project's own text in lower case, payload data in upper case. */
const inputs: fc.Arbitrary<AgentInput> = fc
  .array(
    fc.tuple(
      fc.string({ unit: fc.constantFrom("a", "b", "\r\n", "\n"), maxLength: 5 }),
      fc.string({ unit: fc.constantFrom("A", "B"), minLength: 1, maxLength: 5 }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => {
    const input: AgentInput = { prompt: "", marks: [] };
    for (const [own, foreign] of parts) {
      const start = input.prompt.length + own.length;
      input.prompt += own + foreign;
      input.marks.push({ start, end: start + foreign.length, path: foreign });
    }
    return input;
  });

const markedIn = ({ prompt, marks }: AgentInput) => marks.map(({ start, end }) => prompt.slice(start, end)).join("");

describe("an edited prompt", () => {
  it("keeps every payload character marked after edits elsewhere", () => {
    fc.assert(
      fc.property(
        inputs,
        fc.nat(),
        fc.nat(5),
        fc.string({ unit: fc.constantFrom("x", "y", "\n"), maxLength: 6 }),
        (before, where, removed, typed) => {
          const at = where % (before.prompt.length + 1);
          const after = moveMarks(before, before.prompt.slice(0, at) + typed + before.prompt.slice(at + removed));
          expect(agentInputSchema.safeParse({ ...after, prompt: `${after.prompt} ` }).success).toBe(true);
          expect(markedIn(after).replaceAll(/[^AB]/g, "")).toBe(after.prompt.replaceAll(/[^AB]/g, ""));
        },
      ),
    );
  });

  it("marks text typed inside payload data, and no text typed next to it", () => {
    const before = { prompt: "from ADA to", marks: [{ start: 5, end: 8, path: "name" }] };
    expect(markedIn(moveMarks(before, "from AxxDA to"))).toBe("AxxDA");
    expect(markedIn(moveMarks(before, "from xxADA to"))).toBe("ADA");
    expect(markedIn(moveMarks(before, "from ADAxx to"))).toBe("ADA");
    expect(markedIn(moveMarks(before, "frxxDA to"))).toBe("xxDA");
    expect(moveMarks(before, "from  to").marks).toEqual([]);
  });

  it("keeps its marks in a text area, which normalizes line ends", () => {
    fc.assert(
      fc.property(inputs, (before) => {
        expect(markedIn(withLineFeeds(before))).toBe(markedIn(before));
        expect(withLineFeeds(before).prompt).toBe(before.prompt.replaceAll("\r\n", "\n"));
      }),
    );
  });
});
