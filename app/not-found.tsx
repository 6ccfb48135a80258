import Link from "next/link";

export default function NotFound() {
  return (
    <div className="px-4 py-5">
      <h1 className="text-l font-semibold">There is no such page here</h1>
      <p className="mt-1 max-w-[68ch] text-ink-2">
        The address may be mistyped, belong to another service, or name a run or delivery that retention has removed.{" "}
        <Link href="/" className="text-accent underline">
          Go to the triggers
        </Link>
      </p>
    </div>
  );
}
