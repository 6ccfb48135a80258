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
  /** In a table only from this width of the window on: `lg` 1,024 px, `xl` 1,280 px. Default: always. */
  from?: "lg" | "xl";
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

type Size = "md" | "lg" | "xl";

const sizes: readonly Size[] = ["md", "lg", "xl"];

/**
 * Grid tracks of a row, as a variable for each width of the window. The first track is for the box that selects the
 * row, where rows can be selected.
 */
export function tracksOf<Row>(
  columns: readonly Column<Row>[],
  hasSelection: boolean,
): Record<`--tracks-${Size}`, string> {
  const tracksAt = (size: Size) => {
    const shown = columns.filter(({ from }) => sizes.indexOf(from ?? "md") <= sizes.indexOf(size));
    return [...(hasSelection ? ["20px"] : []), ...shown.map((column) => column.width ?? "minmax(0, 1fr)")].join(" ");
  };
  return { "--tracks-md": tracksAt("md"), "--tracks-lg": tracksAt("lg"), "--tracks-xl": tracksAt("xl") };
}

/** Of a row and of the head. */
export const rowTracks = "md:grid-cols-(--tracks-md) lg:grid-cols-(--tracks-lg) xl:grid-cols-(--tracks-xl)";

/** Of a cell, where rows are one line. */
export function shownFrom({ from }: Pick<Column<unknown>, "from">): string {
  return from === undefined ? "md:block" : from === "lg" ? "md:hidden lg:block" : "md:hidden xl:block";
}
