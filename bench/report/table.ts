import type { Row } from "../measure/row.ts";

const columns: [title: string, of: (row: Row) => string][] = [
  ["work", ({ work }) => work],
  ["what the numbers are", ({ measure }) => measure],
  ["Signalbox", ({ ours }) => ours],
  ["beside it", ({ other }) => other ?? ""],
  ["ratio (lowest–highest)", ({ ratio }) => ratio ?? ""],
  ["goal", ({ goal, isMet }) => (goal === null ? "" : `${goal}: ${isMet ? "met" : "missed"}`)],
  ["on disk", ({ durability }) => durability],
];

export type Described = readonly (readonly [name: string, text: string])[];

/** Lines of cells; the first has the titles. */
export type Cells = readonly (readonly string[])[];

export function cellsOf(rows: readonly Row[]): Cells {
  return [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, of]) => of(row)))];
}

/** The table as text for a terminal: each column as wide as its widest cell. */
export function textTable(lines: Cells): string {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const [titles = "", ...rest] = lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [titles, widths.map((width) => "─".repeat(width)).join("  "), ...rest].join("\n");
}

/** The same for a page, with the machine. */
export function markdownTable([titles = [], ...rest]: Cells, described: Described, notes: readonly string[]): string {
  return [
    ...described.map(([name, text]) => `- ${name}: ${text}`),
    "",
    markdownLine(titles),
    markdownLine(titles.map(() => "---")),
    ...rest.map(markdownLine),
    ...(notes.length > 0 ? ["", ...notes.map((note) => `- ${note}`)] : []),
  ].join("\n");
}

function markdownLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** The page with the text between the two marks of a command's table replaced. Throws if the page has no marks. */
export function replaceTable(page: string, table: string, options: "" | " --stores" = ""): string {
  const name = `bench${options.replace(" --", "-")}`;
  const begin = `<!-- ${name}: begin. Written by \`npm run bench --${options} --markdown\`; do not edit. -->`;
  const end = `<!-- ${name}: end -->`;
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`The page needs the lines ${JSON.stringify(begin)} and ${JSON.stringify(end)}, in this order.`);
  return `${page.slice(0, from + begin.length)}\n${table}\n${page.slice(to)}`;
}
