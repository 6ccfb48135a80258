import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { clientFiles, clientFolder } from "./write-client-types.ts";

it.each([...clientFiles()])(
  "sdk/client/%s has the types of the API (if not, run node scripts/write-client-types.ts)",
  (name, text) => {
    expect(readFileSync(join(clientFolder, name), "utf8")).toBe(text);
  },
);
