/** A placeholder for a form whose schema is loading. */
export function FormSkeleton() {
  return (
    <div role="status" aria-label="Loading the form" className="grid gap-4 p-4">
      <div className="flex justify-between">
        <span className="h-8 w-40 rounded-m bg-sunken" />
        <span className="h-8 w-28 rounded-m bg-sunken" />
      </div>
      {[0, 1, 2, 3].map((row) => (
        <div key={row} className="grid gap-2">
          <span className="h-4 w-32 rounded-s bg-sunken" />
          <span className="h-[34px] rounded-m bg-sunken" />
        </div>
      ))}
    </div>
  );
}
