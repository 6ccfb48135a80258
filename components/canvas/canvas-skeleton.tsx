const columns = [
  { width: 244, rows: [98, 98, 98] },
  { width: 268, rows: [65, 84, 65, 103] },
  { width: 244, rows: [88, 88, 88] },
];

/** Loading state of the canvas, in the same frame. */
export function CanvasSkeleton() {
  return (
    <div
      role="status"
      aria-label="Loading canvas"
      className="absolute inset-0 flex items-center justify-center gap-[120px] overflow-hidden"
    >
      {columns.map(({ width, rows }) => (
        <div key={rows.join()} className="flex flex-col gap-8">
          {rows.map((height, index) => (
            <span key={index} style={{ width, height }} className="animate-pulse rounded-l border bg-raised" />
          ))}
        </div>
      ))}
    </div>
  );
}
