import type { ReactNode } from "react";
import { SettingsNav } from "../../components/settings/settings-nav.tsx";
import { PageFrame } from "../../components/shell/page-frame.tsx";
import { requireAccess } from "../server.ts";

export default async function SettingsLayout({ children }: { children: ReactNode }) {
  await requireAccess();
  return (
    <PageFrame isWide>
      <h1 className="mb-3 text-xl font-[640]">Settings</h1>
      <SettingsNav />
      {children}
    </PageFrame>
  );
}
