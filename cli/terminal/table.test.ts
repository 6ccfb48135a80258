import { expect, it } from "vitest";
import { createPaint } from "./terminal.ts";
import { renderPairs, renderTable } from "./table.ts";

const plain = createPaint(false);

it("columns align with colours and wide characters, and lines have no trailing spaces", () => {
  const color = createPaint(true);
  const rows = [
    [color("good", "ok"), "日本", "x"],
    ["failed", "b", ""],
  ];
  const text = renderTable({ headings: ["A", "B", "C"], rows, paint: plain });
  expect(text).toBe(`A       B     C\n\u001b[32mok\u001b[39m      日本  x\nfailed  b\n`);
});

it("pairs without a value are omitted", () => {
  expect(
    renderPairs(
      [
        ["target", "workflow w"],
        ["replay of", null],
        ["id", "1"],
      ],
      plain,
    ),
  ).toBe("target  workflow w\nid      1\n");
});
