import type { ReactNode } from "react";

export interface Column<Row> {
  id: string;
  name: string;
  /** A CSS grid track, e.g. `120px` or `minmax(0, 2fr)`; the same share of what is left unless said otherwise. */
  width?: string;
  /** At most two lines: every row is as high as the others. */
  cell: (row: Row) => ReactNode;
  /** Left out where rows are stacked, on narrow screens. */
  isHiddenNarrow?: boolean;
}

export interface Selection {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
}

/** Of a row, where it is one line. */
export const rowPx = 44;

/** About what a stacked row will measure. */
export function stackedPx<Row>(columns: readonly Column<Row>[]): number {
  return 26 + 24 * columns.filter((column) => !column.isHiddenNarrow).length;
}

/** Grid tracks of a row. The first is for the box that selects it, where rows can be selected. */
export function tracksOf<Row>(columns: readonly Column<Row>[], hasSelection: boolean): string {
  const tracks = columns.map((column) => column.width ?? "minmax(0, 1fr)");
  return [...(hasSelection ? ["20px"] : []), ...tracks].join(" ");
}
