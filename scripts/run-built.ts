import { join } from "node:path";
import { vi } from "vitest";

/** Setup of the tests that start processes of the product from their own: those run `dist/`, too. */
vi.mock(import("../server/paths.ts"), async (importOriginal) => {
  const paths = await importOriginal();
  return { ...paths, entryFile: (name) => join(paths.packageRoot, "dist", `${name}.js`) };
});
