"use client";

import { ArrowUp } from "lucide-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { pageScroller, rememberPosition, topInPage } from "../ui/page-scroll.tsx";
import { ErrorNote } from "../ui/states.tsx";
import { type Column, rowPx, type Selection, stackedPx, tracksOf } from "./column.ts";
import { countUnshown } from "./list-state.ts";
import type { LivePages } from "./use-live-pages.ts";
import { toggleSelection } from "./selection.ts";
import { SkeletonRows, TableFoot } from "./table-foot.tsx";
import { useIsWide } from "../ui/browser.ts";
import { coveredPx, useArrivals, useReading } from "./use-reading.ts";
import { useRowKeys } from "./use-row-keys.ts";
import { HeadRow, SelectionBox, VirtualRow } from "./table-rows.tsx";
import { rememberTrail } from "./trail.tsx";
import { formatNumber } from "../../server/shared/format.ts";

interface Props<Row> extends LivePages<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  rowHref: (row: Row) => string;
  /** The accessible name of the row's link. */
  rowLabel: (row: Row) => string;
  selection?: Selection;
  emptyState: ReactNode;
}

/** The window of the first render, also on the server: enough rows for a large window. */
const initialWindow = { width: 1200, height: 1100 };

/** The distance to the last row at which the next page is loaded. */
const rowsAhead = 10;

/** The number of rows on top that are remembered when the reading starts. */
const rememberedRows = 200;

/**
 * A virtualized list that scrolls with the page. While the rows are being read, new rows wait above ("12 new"). `j`,
 * `k`, Enter and Space work from anywhere on the page. Use with `useLivePages`: `<VirtualTable {...pages} label=… />`.
 */
export function VirtualTable<Row>(props: Props<Row>) {
  const { label, columns, rows, rowKey, hasMore, isLoadingMore, selection, isStopped, newRows, showNew } = props;
  const body = useRef<HTMLDivElement>(null);
  const { shownKeys, handlers, catchUp } = useReading(body, () => rows.slice(0, rememberedRows).map(rowKey));
  const unshown = shownKeys ? countUnshown({ rows, rowKey, shownKeys }) : 0;
  const shown = unshown > 0 ? rows.slice(unshown) : rows;
  const keys = shown.map(rowKey);
  const arrived = useArrivals(keys);

  const virtualizer = useRows({ body, keys, columns });
  const [lastToggled, setLastToggled] = useState<string | null>(null);
  const toggle = (key: string, isRange: boolean) => {
    selection?.onChange(toggleSelection({ keys, selected: selection.selected, key, last: lastToggled, isRange }));
    setLastToggled(key);
  };
  const activeKey = useRowKeys({
    body,
    virtualizer,
    keys,
    onToggle: selection ? (index, isRange) => toggle(keys[index] ?? "", isRange) : null,
  });
  useEffect(() => rememberPosition({ shownKeys }), [shownKeys]);

  const items = virtualizer.getVirtualItems();
  const sight = items.flatMap((item) => keys[item.index] ?? []).join(" ");
  const reportSight = useEffectEvent((names: string) => props.onSight(names === "" ? [] : names.split(" ")));
  useEffect(() => reportSight(sight), [sight]);
  const isNearEnd = (items.at(-1)?.index ?? 0) >= shown.length - rowsAhead;
  const needsMore = isNearEnd && hasMore && !isLoadingMore && !isStopped && !props.error;
  const loadMore = useEffectEvent(() => props.onNeedMore());
  useEffect(() => {
    if (needsMore) loadMore();
  }, [needsMore]);
  const canCatchUp = newRows > 0 && shownKeys === null;
  const reset = useEffectEvent(showNew);
  useEffect(() => {
    if (canCatchUp) reset();
  }, [canCatchUp]);

  const tracks: CSSProperties = tracksOf(columns, selection !== undefined) as CSSProperties;
  const tabStop = activeKey !== null && keys.includes(activeKey) ? activeKey : keys[0];
  return (
    <div
      style={tracks}
      aria-busy={props.isLoading || props.isStale}
      className={`relative min-w-0 overflow-clip rounded-l border bg-panel transition-opacity ${props.isStale ? "opacity-60" : ""}`}
    >
      <NewPill
        count={unshown + newRows}
        isMore={newRows > 0}
        onShow={() => {
          showNew();
          catchUp();
        }}
      />
      <div role="table" aria-label={label} aria-rowcount={hasMore ? -1 : shown.length + 1}>
        <HeadRow columns={columns} keys={keys} selection={selection} />
        <div
          ref={body}
          role="rowgroup"
          className="relative"
          style={{ height: virtualizer.getTotalSize() }}
          onClickCapture={() => rememberTrail(keys)}
          {...handlers}
        >
          {items.map((item) => {
            const row = shown[item.index];
            const key = keys[item.index];
            if (row === undefined || key === undefined) return null;
            const isSelected = selection?.selected.has(key) ?? false;
            return (
              <VirtualRow
                key={key}
                row={row}
                index={item.index}
                columns={columns}
                href={props.rowHref(row)}
                label={props.rowLabel(row)}
                isTabStop={key === tabStop}
                style={{ transform: `translateY(${item.start - virtualizer.options.scrollMargin}px)` }}
                measure={virtualizer.measureElement}
                isSelected={isSelected}
                hasArrived={arrived.has(key)}
                box={
                  selection && (
                    <div role="cell" className="absolute top-3 right-4 z-1 md:static">
                      <SelectionBox
                        label={`Select ${props.rowLabel(row)}`}
                        state={isSelected ? "on" : "off"}
                        onToggle={(isRange) => toggle(key, isRange)}
                      />
                    </div>
                  )
                }
              />
            );
          })}
        </div>
      </div>
      <Below {...props} />
    </div>
  );
}

/** The content below the rows, or instead of them. */
function Below<Row>(props: Props<Row>) {
  const { rows, isLoading, error, hasMore, columns, selection } = props;
  if (isLoading)
    return <SkeletonRows rows={12} columns={columns.length + (selection ? 1 : 0)} label={`Loading ${props.label}`} />;
  if (rows.length > 0 || (hasMore && !error))
    return (
      <TableFoot
        count={rows.length}
        hasMore={hasMore}
        searchedTo={props.searchedTo}
        isStopped={props.isStopped}
        stop={props.stop}
        error={error}
        onNeedMore={props.onNeedMore}
        retry={props.retry}
      />
    );
  if (!error) return props.emptyState;
  return (
    <div className="p-4">
      <ErrorNote title={`${props.label} could not be loaded`} error={error} retry={props.retry} />
    </div>
  );
}

/** The virtualizer. Rows with one line have a fixed height; stacked rows are measured. */
function useRows<Row>({
  body,
  keys,
  columns,
}: {
  body: RefObject<HTMLDivElement | null>;
  keys: readonly string[];
  columns: readonly Column<Row>[];
}) {
  const isWide = useIsWide(true);
  const [scrollMargin, setScrollMargin] = useState(0);
  useLayoutEffect(() => {
    const scroller = pageScroller();
    const measure = () => setScrollMargin(Math.round(topInPage(body.current) + (scroller?.scrollTop ?? 0)));
    measure();
    const observer = new ResizeObserver(measure);
    if (scroller) for (const element of [scroller, ...scroller.children]) observer.observe(element);
    return () => observer.disconnect();
  }, [body]);
  const rowHeight = isWide ? rowPx : stackedPx(columns);
  // oxlint-disable-next-line react/incompatible-library -- nothing is memoized by this object, whose results change
  const virtualizer = useVirtualizer<HTMLElement, HTMLDivElement>({
    getScrollElement: pageScroller,
    count: keys.length,
    estimateSize: useCallback(() => rowHeight, [rowHeight]),
    getItemKey: (index) => keys[index] ?? index,
    overscan: 8,
    scrollMargin,
    scrollPaddingStart: coveredPx,
    scrollPaddingEnd: rowPx * 2,
    initialRect: initialWindow,
    initialOffset: 0,
  });
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, isWide]);
  return virtualizer;
}

function NewPill({ count, isMore, onShow }: { count: number; isMore: boolean; onShow: () => void }) {
  return (
    <div role="status" className="pointer-events-none sticky top-2 z-3 flex h-0 justify-center md:top-[42px]">
      {count > 0 && (
        <button
          type="button"
          onClick={onShow}
          className="pointer-events-auto mt-2 flex h-7 cursor-pointer items-center gap-1.5 rounded-full bg-accent px-3 text-s font-[550] text-on-accent shadow-floating hover:bg-accent-strong md:mt-[42px]"
        >
          <ArrowUp aria-hidden size={13} />
          {formatNumber(count)}
          {isMore ? "+" : ""} new
        </button>
      )}
    </div>
  );
}
