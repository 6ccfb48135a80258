import { describe, expect, it } from "vitest";
import type { Row } from "../measure/row.ts";
import { cellsOf, markdownTable, replaceTable, textTable } from "./table.ts";

const row: Row = {
  work: "300 bytes",
  measure: "accepts a second",
  ours: "9",
  other: "node:http: 10",
  ratio: "0.90 (0.80–1.00)",
  goal: "≥ 0.6",
  isMet: true,
  durability: "fsync",
};

describe("textTable", () => {
  it("shows for each goal whether it was met", () => {
    const text = textTable(cellsOf([row, { ...row, isMet: false }, { ...row, goal: null, isMet: null }]));
    expect(text).toContain("≥ 0.6: met");
    expect(text).toContain("≥ 0.6: missed");
    expect(text.match(/≥ 0\.6/g)).toHaveLength(2);
  });

  it("aligns the columns of all lines", () => {
    const [titles = "", , first = "", second = ""] = textTable(
      cellsOf([row, { ...row, work: "a push of 7.7 kB", other: null }]),
    ).split("\n");
    const at = titles.indexOf("what the numbers are");
    expect([first, second].map((line) => line.slice(at, at + 7))).toEqual(["accepts", "accepts"]);
  });
});

describe("markdownTable", () => {
  it("has the machine, a line for each row, and the notes", () => {
    const page = markdownTable(cellsOf([row, row]), [["node", "v24"]], ["Too short."]);
    expect(page).toMatch(/^- node: v24\n\n\| work \|/);
    expect(page.split("\n").filter((line) => line.startsWith("| 300 bytes |"))).toHaveLength(2);
    expect(page).toMatch(/\n\n- Too short\.$/);
  });

  it("escapes a vertical bar in a cell", () => {
    expect(markdownTable(cellsOf([{ ...row, work: "a|b" }]), [], [])).toContain("| a\\|b |");
  });
});

describe("replaceTable", () => {
  const page = `# Speed\n\n<!-- bench: begin. Written by \`npm run bench -- --markdown\`; do not edit. -->\nold\n<!-- bench: end -->\n\nMore.\n`;

  it("replaces only the text between the marks", () => {
    const written = replaceTable(page, "new");
    expect(written).toBe(page.replace("old", "new"));
    expect(replaceTable(written, "newer")).toBe(page.replace("old", "newer"));
  });

  it("keeps the table of another command", () => {
    const two = `${page}<!-- bench-stores: begin. Written by \`npm run bench -- --stores --markdown\`; do not edit. -->\nold\n<!-- bench-stores: end -->\n`;
    expect(replaceTable(two, "new", " --stores")).toBe(`${page}${two.slice(page.length).replace("old", "new")}`);
  });

  it("throws for a page without the marks, and names them", () => {
    expect(() => replaceTable("# Speed\n", "new")).toThrow("<!-- bench: end -->");
  });
});
