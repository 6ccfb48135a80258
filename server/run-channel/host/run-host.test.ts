import { expect, test } from "vitest";
import { compareRuns } from "./run-host.ts";

const claim = (id: string, token = `token of ${id}`) => ({ id, token });

test("a run that both have is kept", () => {
  expect(compareRuns({ runs: [claim("a")], unacknowledged: [] }, [claim("a")])).toEqual({
    kept: [claim("a")],
    lost: [],
    missing: [],
  });
});

test("a run that only the worker has is lost, unless its end may just have been written", () => {
  const runs = [claim("a"), claim("b")];
  expect(compareRuns({ runs, unacknowledged: ["b"] }, [])).toEqual({
    kept: [claim("b")],
    lost: [claim("a")],
    missing: [],
  });
});

test("a run that only the store has did not reach the worker", () => {
  expect(compareRuns({ runs: [], unacknowledged: [] }, [claim("a")])).toEqual({
    kept: [],
    lost: [],
    missing: [claim("a")],
  });
});

test("a run that was claimed again for the same worker is lost under its old token, and missing under its new one", () => {
  expect(compareRuns({ runs: [claim("a", "old")], unacknowledged: [] }, [claim("a", "new")])).toEqual({
    kept: [],
    lost: [claim("a", "old")],
    missing: [claim("a", "new")],
  });
});
