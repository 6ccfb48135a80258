import type { ReactNode } from "react";

export interface Column<Row> {
  id: string;
  name: string;
  /** A CSS grid track, e.g. `120px` or `minmax(0, 2fr)`; default: an equal share of the remaining width. */
  width?: string;
  /** At most two lines: all rows have the same height. */
  cell: (row: Row) => ReactNode;
  /** Hidden on narrow screens, where rows are stacked. */
  isHiddenNarrow?: boolean;
  /** The minimum window width for the column: `lg` 1,024 px, `xl` 1,280 px. Default: always shown. */
  from?: "lg" | "xl";
}

export interface Selection {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
}

/** The height of a row with one line. */
export const rowPx = 44;

/** The estimated height of a stacked row. */
export function stackedPx<Row>(columns: readonly Column<Row>[]): number {
  return 26 + 24 * columns.filter((column) => !column.isHiddenNarrow).length;
}

type Size = "md" | "lg" | "xl";

const sizes: readonly Size[] = ["md", "lg", "xl"];

/**
 * The grid tracks of a row, as one variable for each window width. The first track is for the checkbox, if rows can be
 * selected.
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

/** The classes of a row and of the header. */
export const rowTracks = "md:grid-cols-(--tracks-md) lg:grid-cols-(--tracks-lg) xl:grid-cols-(--tracks-xl)";

/** The classes of a cell, where rows have one line. */
export function shownFrom({ from }: Pick<Column<unknown>, "from">): string {
  return from === undefined ? "md:block" : from === "lg" ? "md:hidden lg:block" : "md:hidden xl:block";
}
