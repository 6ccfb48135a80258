import Link from "next/link";

/**
 * Shown to unauthenticated visitors of a deployed service when only Next runs. Otherwise our server redirects to
 * /sign-in.
 */
export function Locked() {
  return (
    <div className="mx-auto mt-[12vh] p-4 text-center">
      <h1 className="text-l font-semibold">Sign in to continue</h1>
      <p className="mt-3">
        <Link href="/sign-in" className="text-accent underline">
          Sign in
        </Link>
      </p>
    </div>
  );
}
