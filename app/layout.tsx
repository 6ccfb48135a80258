import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { AccessProvider } from "../components/auth/access.tsx";
import { EarlyClicks } from "../components/shell/early-clicks.tsx";
import { Shell, type ShellProject } from "../components/shell/shell.tsx";
import { themeScript } from "../components/ui/theme.ts";
import { TrpcProvider } from "../components/shell/trpc-provider.tsx";
import { Toasts } from "../components/ui/overlays/toast.tsx";
import { readAccess, requestTime, signalbox } from "./server.ts";
import "@fontsource-variable/geist/wght.css";
import "@fontsource-variable/geist-mono/wght.css";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Signalbox", template: "%s · Signalbox" },
  robots: { index: false, follow: false },
};
export const viewport: Viewport = { width: "device-width", initialScale: 1, colorScheme: "light dark" };

/** Name and build of the project, for authenticated requests only. */
async function describeProject(): Promise<ShellProject> {
  const { settings, pageMode, project } = signalbox();
  const { manifest } = project.current();
  return {
    name: settings.name,
    mode: pageMode(),
    version: manifest.version,
    hasAgents: manifest.agents.length > 0,
    failedBuild: project.failedBuild(),
  };
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  const access = await readAccess();
  const project = access && (await describeProject());
  return (
    <html lang="en" suppressHydrationWarning>
      <head>
        <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: themeScript }} />
        <EarlyClicks nonce={nonce} />
      </head>
      <body>
        <NuqsAdapter>
          <TrpcProvider renderedAt={requestTime()} version={project?.version ?? null}>
            <Toasts>
              <AccessProvider access={access}>
                <Shell project={project}>{children}</Shell>
              </AccessProvider>
            </Toasts>
          </TrpcProvider>
        </NuqsAdapter>
      </body>
    </html>
  );
}
