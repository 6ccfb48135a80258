"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import {
  Bot,
  Download,
  FileSearch,
  Keyboard,
  type LucideIcon,
  Monitor,
  Moon,
  PanelsTopLeft,
  Play,
  Search,
  SquareArrowRight,
  Sun,
  Webhook,
  Workflow,
  Wrench,
  Zap,
} from "lucide-react";
import { usePathname } from "next/navigation";
import { type KeyboardEvent, useEffect, useEffectEvent, useState } from "react";
import type { EntryGroup, EntryKind, SearchEntry } from "../../server/contract/search.ts";
import { showNode } from "../canvas/show-node.ts";
import { useMay } from "../auth/access.tsx";
import { useRunsToApprove } from "../runs/run-badge.tsx";
import { chooseTheme } from "../ui/theme.ts";
import { useLeave } from "../live/use-leave.tsx";
import { problemOf } from "../ui/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { ModalElement } from "../ui/overlays/dialog.tsx";
import {
  actionOf,
  approvalsFor,
  contentSearchesFor,
  hasWords,
  hrefFrom,
  pagesFor,
  readRecent,
  rememberEntry,
  searchTextOf,
} from "./entry.ts";

const debounceMs = 120;

interface SearchState {
  groups: EntryGroup[];
  /** The text that the groups belong to. */
  settledText: string;
  /** The groups do not match the typed text yet. */
  isPending: boolean;
  error: string | null;
}

const icons: Record<EntryKind, LucideIcon> = {
  endpoint: Webhook,
  trigger: Zap,
  workflow: Workflow,
  agent: Bot,
  tool: Wrench,
  run: Play,
  delivery: Download,
  page: PanelsTopLeft,
  look: FileSearch,
  action: SquareArrowRight,
};

interface CommandEntry {
  label: string;
  icon: LucideIcon;
  /** Without it, the list of shortcuts opens. */
  run?: () => void;
}

/** Commands that apply to the app, in this browser. Found by the words of their labels. */
const commands: readonly CommandEntry[] = [
  { label: "Theme: light", icon: Sun, run: () => chooseTheme("light") },
  { label: "Theme: dark", icon: Moon, run: () => chooseTheme("dark") },
  { label: "Theme: system", icon: Monitor, run: () => chooseTheme("system") },
  { label: "Keyboard shortcuts", icon: Keyboard },
];

/** Search for names and ids. Enter opens the selected result. */
export function SearchDialog({ onClose, onShowKeys }: { onClose: () => void; onShowKeys: () => void }) {
  const [typed, setTyped] = useState("");
  const { groups, settledText, isPending, error } = useSearch(typed);
  const go = useGo(onClose);
  const [chosen, setChosen] = useState({ text: "", id: "" });
  const first = groups[0]?.entries[0];
  const isOld = chosen.text !== settledText;
  const selected = isOld ? (first?.id ?? "") : chosen.id;

  // Enter while the search is pending opens the first result when it arrives.
  const [isWaiting, setIsWaiting] = useState(false);
  const goToFirst = useEffectEvent(() => first && go(first));
  const isAnswered = isWaiting && !isPending;
  useEffect(() => {
    if (isAnswered) goToFirst();
  }, [isAnswered]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || !isPending) return;
    event.preventDefault();
    event.stopPropagation();
    setIsWaiting(true);
  };
  return (
    <ModalElement
      label="Search"
      onClose={onClose}
      className="mx-auto mt-[min(12vh,120px)] mb-auto w-[min(640px,calc(100vw-24px))]"
    >
      <Command
        label="Search"
        shouldFilter={false}
        loop
        value={selected}
        onValueChange={(id) => setChosen({ text: settledText, id })}
        onKeyDownCapture={onKeyDown}
        className="flex min-h-0 flex-col"
      >
        <div className="flex items-center gap-2.5 border-b px-4">
          <Search aria-hidden size={16} className={`shrink-0 text-ink-3 ${isPending ? "animate-pulse" : ""}`} />
          <Command.Input
            data-autofocus=""
            value={typed}
            onValueChange={(text) => {
              setTyped(text);
              setIsWaiting(false);
            }}
            maxLength={2_000}
            placeholder="Search names and ids, or type “run …”, “send …”, “disable …”"
            className="h-12 min-w-0 flex-1 bg-transparent text-l outline-none placeholder:text-ink-3"
          />
          <kbd className="pointer-coarse:hidden rounded-s border px-1.5 text-xs text-ink-3">Esc</kbd>
        </div>
        <Command.List
          label="Results"
          className="max-h-[min(440px,60dvh)] min-h-0 overflow-auto overscroll-contain p-1.5"
        >
          {error && (
            <p role="alert" className="px-2.5 py-2 text-bad">
              {error}
            </p>
          )}
          {groups.map((group) => (
            <Group key={group.name} group={group} onGo={go} />
          ))}
          <Commands text={typed} onClose={onClose} onShowKeys={onShowKeys} />
        </Command.List>
        <p className="hidden gap-4 border-t px-4 py-2 text-s text-ink-3 md:flex">
          <span>↑↓ select</span>
          <span>↵ open</span>
          <span className="ml-auto">? shows all shortcuts</span>
        </p>
      </Command>
    </ModalElement>
  );
}

function useGo(onClose: () => void): (entry: SearchEntry) => void {
  const leave = useLeave();
  const path = usePathname();
  return (entry) => {
    rememberEntry(entry);
    onClose();
    leave(hrefFrom(entry, { path, query: location.search }));
    const node = new URLSearchParams(entry.href.split("?")[1]).get("node");
    if (node !== null) showNode(node);
  };
}

const itemClass = "flex h-9 cursor-pointer items-center gap-2.5 rounded-m px-2.5 data-[selected=true]:bg-accent-soft";
const groupClass =
  "[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2.5 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-3";

function Group({ group, onGo }: { group: EntryGroup; onGo: (entry: SearchEntry) => void }) {
  return (
    <Command.Group heading={group.name} className={groupClass}>
      {group.entries.map((entry) => {
        const Icon = icons[entry.kind];
        const isName = !["page", "look", "action"].includes(entry.kind);
        return (
          <Command.Item key={entry.id} value={entry.id} onSelect={() => onGo(entry)} className={itemClass}>
            <Icon aria-hidden size={15} className="shrink-0 text-ink-2" />
            <span className={`min-w-0 truncate ${isName ? "font-mono text-s" : ""}`}>{entry.label}</span>{" "}
            <span className="ml-auto min-w-0 shrink-[2] truncate text-s text-ink-2">{entry.note}</span>
          </Command.Item>
        );
      })}
    </Command.Group>
  );
}

function Commands({ text, onClose, onShowKeys }: { text: string; onClose: () => void; onShowKeys: () => void }) {
  const shown = commands.filter(({ label }) => hasWords(label.toLowerCase(), text));
  if (shown.length === 0) return null;
  return (
    <Command.Group heading="App" className={groupClass}>
      {shown.map(({ label, icon: Icon, run }) => (
        <Command.Item
          key={label}
          value={`command:${label}`}
          onSelect={() => {
            onClose();
            if (run) run();
            else onShowKeys();
          }}
          className={itemClass}
        >
          <Icon aria-hidden size={15} className="shrink-0 text-ink-3" />
          {label}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

/** Search results, best first. For an empty text: recently opened entries and pages. */
function useSearch(typed: string): SearchState {
  const trpc = useTRPC();
  const [recent] = useState(readRecent);
  const waiting = useRunsToApprove(true);
  const isAdmin = useMay("admin");
  const mayOperate = useMay("operate");
  const { action, text } = actionOf(searchTextOf(typed));
  const requestedText = useDebounced(text, debounceMs);
  const found = useQuery(
    trpc.search.queryOptions(
      { text: requestedText, action },
      { enabled: requestedText !== "", placeholderData: keepPreviousData, staleTime: 0, meta: { live: false } },
    ),
  );
  if (text === "")
    return {
      groups: withoutEmpty([
        { name: "Needs attention", entries: approvalsFor("", waiting.length) },
        { name: "Recent", entries: recent },
        { name: "Go to", entries: pagesFor("", isAdmin) },
      ]),
      settledText: "",
      isPending: false,
      error: null,
    };
  const isPending = requestedText !== text || found.isFetching;
  const actions = { name: "Actions", entries: mayOperate ? (found.data?.actions ?? []) : [] };
  const results = found.data?.groups ?? [];
  const groups = withoutEmpty([
    ...(action === null ? [...results, actions] : [actions, ...results]),
    { name: "Needs attention", entries: approvalsFor(requestedText, waiting.length) },
    { name: "Go to", entries: pagesFor(requestedText, isAdmin) },
    { name: "Search in bodies and inputs", entries: contentSearchesFor(requestedText) },
  ]);
  return {
    groups,
    settledText: found.isPlaceholderData ? "" : requestedText,
    isPending,
    error: found.error ? problemOf(found.error).title : null,
  };
}

function withoutEmpty(groups: EntryGroup[]): EntryGroup[] {
  return groups.filter((group) => group.entries.length > 0);
}

/** The last value that did not change for `ms`. */
function useDebounced<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
