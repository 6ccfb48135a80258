import { describe, expect, it } from "vitest";
import { largeModel } from "../../graph/testing/sample-graph.ts";
import { chunksFor, chunksOf } from "./activity-request.ts";

describe("requests for traffic", () => {
  it("are independent of the view, so that panning repeats none, and within the limit of the procedure", () => {
    const model = largeModel(2_000);
    const chunks = chunksOf(model);
    expect(chunks.flatMap(({ endpoints }) => endpoints)).toHaveLength(model.sources.length);
    expect(chunks.flatMap(({ targets }) => targets)).toHaveLength(model.targets.length);
    expect(
      Math.max(...chunks.map(({ endpoints, targets }) => Math.max(endpoints.length, targets.length))),
    ).toBeLessThanOrEqual(300);
    expect(
      chunksFor(model, [model.sources[0]?.id ?? "", model.triggers[1]?.id ?? "", model.targets[0]?.id ?? ""]),
    ).toEqual([0]);
    expect(chunksFor(model, [model.triggers.at(-1)?.id ?? ""])).toEqual([Math.floor((model.sources.length - 1) / 80)]);
  });
});
