/** What a stranger sees of a deployed service. */
export function Locked() {
  return (
    <div className="px-4 py-5">
      <h1 className="text-l font-semibold">These pages are closed</h1>
      <p className="mt-1 max-w-[68ch] text-ink-2">
        A deployed Signalbox shows its triggers, runs and deliveries to nobody without a key, and these pages cannot ask for one yet. On the machine itself, <code>signalbox triggers list</code> and{" "}
        <code>signalbox triggers runs list</code> show them; from elsewhere, the API at <code>/api/v1</code> does, with a token that <code>signalbox keys create --api</code> makes.
      </p>
    </div>
  );
}
