import type { ReactNode } from "react";
import { SettingsNav } from "../../components/settings/settings-nav.tsx";
import { Locked, PageFrame } from "../../components/shell/page-frame.tsx";
import { mayRead } from "../server.ts";

export default async function SettingsLayout({ children }: { children: ReactNode }) {
  if (!(await mayRead())) return <Locked />;
  return (
    <PageFrame isWide>
      <h1 className="mb-3 text-xl font-[640]">Settings</h1>
      <SettingsNav />
      {children}
    </PageFrame>
  );
}
