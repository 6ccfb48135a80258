/** The messages that docs/troubleshooting.md quotes, next to the texts of the product. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const repository = join(import.meta.dirname, "..");
const page = readFileSync(join(repository, "docs/troubleshooting.md"), "utf8");
const quoted = [...page.matchAll(/^ *> (.+)$/gm)].map(([, message = ""]) => message);

/** The source, with template literals as their text: values are `…`, and backticks are not escaped. */
const source = globSync("{server,cli,sdk}/**/*.ts", {
  cwd: repository,
  exclude: ["**/*.test.ts", "**/testing/**", "**/golden/**"],
})
  .map((file) => readFileSync(join(repository, file), "utf8"))
  .join("\n")
  .replaceAll("\\`", "`");

/** The constant parts of a message: those between values. */
const partsOf = (message: string) =>
  message
    .split("…")
    .map((part) => part.trim().replace(/^[.)?,: ]+|[(.: ]+$/g, ""))
    .filter((part) => part.length > 3);

it("quotes messages that the product has", () => {
  expect(quoted.length).toBeGreaterThan(25);
  expect(quoted.flatMap(partsOf).filter((part) => !source.includes(part))).toEqual([]);
});

it("finds a message that the product does not have", () => {
  expect(partsOf("Port … is taken. Choose another.").filter((part) => !source.includes(part))).toEqual([
    "is taken. Choose another",
  ]);
});
