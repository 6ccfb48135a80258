"use client";

import { usePathname, useSearchParams } from "next/navigation";

/** What a stranger sees of a deployed service: nothing but how to come in. Signing in leads to the page that was asked for. */
export function Locked() {
  const path = usePathname();
  const search = useSearchParams();
  const hasFailed = search.get("sign-in") === "failed";
  return (
    <div className="p-4">
      <div className="mx-auto mt-[12vh] w-full max-w-[400px] rounded-l border bg-panel p-6 shadow-raised">
        <h1 className="text-l font-semibold">Sign in</h1>
        <p className="mt-1 text-ink-2">
          With an API token. On the machine that runs Signalbox, <code>signalbox keys create --api</code> makes one.
        </p>
        <form method="post" action="/session" className="mt-4 flex flex-col gap-2">
          <input type="hidden" name="next" value={search.size > 0 ? `${path}?${search}` : path} />
          <label htmlFor="token" className="text-s font-medium text-ink-2">
            API token
          </label>
          <input
            id="token"
            name="token"
            type="password"
            required
            autoComplete="current-password"
            spellCheck={false}
            placeholder="sbt_…"
            aria-invalid={hasFailed}
            aria-describedby={hasFailed ? "token-error" : undefined}
            className="h-9 rounded-m border border-line-strong bg-raised px-3 font-mono text-s aria-invalid:border-bad"
          />
          {hasFailed && (
            <p id="token-error" role="alert" className="text-s text-bad">
              This token opens nothing: it is unknown, expired or revoked, or it is a webhook key.
            </p>
          )}
          <button type="submit" className="mt-1 h-9 cursor-pointer rounded-m bg-accent px-4 font-medium text-on-accent hover:bg-accent-strong">
            Sign in
          </button>
        </form>
      </div>
    </div>
  );
}
