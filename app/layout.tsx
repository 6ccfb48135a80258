import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { Shell, type ShellProject } from "../components/shell/shell.tsx";
import { themeScript } from "../components/shell/theme.ts";
import { TrpcProvider } from "../components/trpc/trpc-provider.tsx";
import { Toasts } from "../components/ui/toast.tsx";
import { mayRead, requestTime, signalbox } from "./server.ts";
import "@fontsource-variable/geist/wght.css";
import "@fontsource-variable/geist-mono/wght.css";
import "./globals.css";

export const metadata: Metadata = { title: { default: "Signalbox", template: "%s · Signalbox" }, robots: { index: false, follow: false } };
export const viewport: Viewport = { width: "device-width", initialScale: 1, colorScheme: "light dark" };

/** Name and build are for those who may read: a stranger at a deployed service sees neither. */
async function describeProject(): Promise<ShellProject | null> {
  const { settings, project } = await signalbox();
  if (!(await mayRead())) return null;
  return { name: settings.name, mode: settings.mode, version: project.current().manifest.version };
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  const project = await describeProject();
  return (
    <html lang="en" suppressHydrationWarning>
      <head>
        <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: themeScript }} />
      </head>
      <body>
        <NuqsAdapter>
          <TrpcProvider renderedAt={requestTime()} version={project?.version ?? null}>
            <Toasts>
              <Shell project={project}>{children}</Shell>
            </Toasts>
          </TrpcProvider>
        </NuqsAdapter>
      </body>
    </html>
  );
}
