"use client";

import { useQuery } from "@tanstack/react-query";
import { Bell, Download, type LucideIcon, Play, Settings, Workflow } from "lucide-react";
import Link, { useLinkStatus } from "next/link";
import { usePathname } from "next/navigation";
import { formatCount } from "../../server/shared/format.ts";
import { useRunsToApprove } from "../runs/run-badge.tsx";
import { useTRPC } from "../trpc/trpc.ts";

const pages = [
  { href: "/", label: "Canvas", icon: Workflow, isHere: (path: string) => path === "/" },
  {
    href: "/deliveries",
    label: "Deliveries",
    icon: Download,
    isHere: (path: string) => /^\/deliveries(\/|$)/.test(path),
  },
  { href: "/runs", label: "Runs", icon: Play, isHere: (path: string) => /^\/runs(\/|$)/.test(path) },
  { href: "/alerts", label: "Alerts", icon: Bell, isHere: (path: string) => /^\/alerts(\/|$)/.test(path) },
  { href: "/settings", label: "Settings", icon: Settings, isHere: (path: string) => /^\/settings(\/|$)/.test(path) },
];

/** `hasAgents`: the runs of the project may wait for approvals. */
export function NavRail({ hasAgents }: { hasAgents: boolean }) {
  const path = usePathname();
  const alerts = useQuery(useTRPC().alerts.countActive.queryOptions());
  const active = alerts.data?.active ?? 0;
  const waiting = useRunsToApprove(hasAgents).length;
  return (
    <nav
      aria-label="Pages"
      className="z-10 order-last flex h-(--rail-height) shrink-0 items-center justify-center gap-1.5 border-t bg-panel md:order-none md:h-auto md:w-14 md:flex-col md:justify-start md:border-t-0 md:border-r md:pt-3"
    >
      {pages.map(({ href, label, icon: Icon, isHere }) => {
        const note =
          href === "/alerts" && active > 0
            ? formatCount(active, "active alert")
            : href === "/runs" && waiting > 0
              ? `Runs: ${waiting === 1 ? "1 waits" : `${waiting} wait`} for approval`
              : null;
        return (
          <Link
            key={href}
            href={href}
            aria-label={note ?? label}
            aria-current={isHere(path) ? "page" : undefined}
            title={note ?? label}
            className="relative grid size-10 place-items-center rounded-m text-ink-3 hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent"
          >
            <PageIcon icon={Icon} />
            {note && (
              <span
                aria-hidden
                className={`absolute top-2 right-2 size-2 rounded-full ${href === "/runs" ? "bg-wait" : "bg-bad"}`}
              />
            )}
          </Link>
        );
      })}
    </nav>
  );
}

/** Pulses while its page loads. */
function PageIcon({ icon: Icon }: { icon: LucideIcon }) {
  const { pending } = useLinkStatus();
  return <Icon aria-hidden size={18} strokeWidth={1.8} className={pending ? "animate-pulse text-accent" : ""} />;
}
