import Link from "next/link";

/** What a stranger sees of a deployed service where our own server, which sends them to /sign-in, is not in front. */
export function Locked() {
  return (
    <div className="mx-auto mt-[12vh] p-4 text-center">
      <h1 className="text-l font-semibold">Sign in to see this</h1>
      <p className="mt-3">
        <Link href="/sign-in" className="text-accent underline">
          Sign in
        </Link>
      </p>
    </div>
  );
}
