import { LogOut } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import type { FailedBuild } from "../../server/contract/project/failed-build.ts";
import { Keyboard } from "./keyboard.tsx";
import { NavRail } from "./nav-rail.tsx";
import { NavigationProgress } from "./navigation-progress.tsx";
import { PageScroll } from "../ui/page-scroll.tsx";
import { LivePill, SearchButton, ThemeSwitch } from "./header-controls.tsx";

export interface ShellProject {
  name: string;
  mode: "development" | "deployed";
  /** Version of the build. */
  version: string;
  failedBuild: FailedBuild | null;
  /** Their runs may wait for approvals. */
  hasAgents: boolean;
}

/**
 * The frame of every page: header, navigation, content. The frame never moves: the content scrolls inside it. An
 * ordinary page adds padding with `PageFrame`, a full-height page is `h-(--page-height)`. `project`: `null` if
 * unauthenticated.
 */
export function Shell({ project, children }: { project: ShellProject | null; children: ReactNode }) {
  const frame = (
    <div className="flex h-dvh flex-col overflow-clip print:h-auto">
      <NavigationProgress />
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-30 focus:bg-panel focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <header className="z-20 flex h-(--bar-height) shrink-0 items-center gap-3 border-b bg-panel pr-2.5 pl-4 md:gap-4">
        <Link href="/" className="flex items-center gap-2 font-[650] tracking-[-0.01em]">
          <Mark />
          Signalbox
        </Link>
        {project && (
          <span className="hidden min-w-0 truncate font-mono text-s text-ink-2 md:block">{project.name}</span>
        )}
        {project && <LivePill version={project.version} failedBuild={project.failedBuild} />}
        <div className="ml-auto flex items-center gap-2">
          {project && <SearchButton />}
          {project?.mode === "development" && (
            <span
              title="Development: requests from this machine need no key"
              className="hidden text-s text-ink-3 lg:block"
            >
              development
            </span>
          )}
          <ThemeSwitch />
          {project?.mode === "deployed" && <SignOut />}
        </div>
      </header>
      <div className="flex min-h-0 flex-1 flex-col md:flex-row">
        {project && <NavRail hasAgents={project.hasAgents} />}
        <PageScroll>{children}</PageScroll>
      </div>
    </div>
  );
  return project ? <Keyboard>{frame}</Keyboard> : frame;
}

function SignOut() {
  return (
    <form method="post" action="/api/auth/sign-out">
      <button
        type="submit"
        title="Sign out"
        className="grid h-8 place-items-center rounded-m px-2 text-s whitespace-nowrap text-ink-2 hover:bg-sunken hover:text-ink"
      >
        <LogOut aria-hidden size={16} className="md:hidden" />
        <span className="sr-only md:hidden">Sign out</span>
        <span className="hidden md:inline">Sign out</span>
      </button>
    </form>
  );
}

/** The logo: a signal with three lights. */
function Mark() {
  return (
    <svg aria-hidden width="10" height="18" viewBox="0 0 10 18">
      <clipPath id="mark">
        <rect width="10" height="18" rx="5" />
      </clipPath>
      <g clipPath="url(#mark)">
        <rect width="10" height="6" className="fill-bad" />
        <rect y="6" width="10" height="6" className="fill-wait" />
        <rect y="12" width="10" height="6" className="fill-ok" />
      </g>
    </svg>
  );
}
