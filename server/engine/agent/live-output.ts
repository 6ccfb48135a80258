import type { ModelOutput } from "../../contract/agent/trace.ts";
import type { ModelPart } from "./call-model.ts";

/** Publishes the output of one model call while it is streamed. */
export interface LiveOutput {
  add(part: ModelPart): void;
  /** Stops publishing. Resolves after the last update. */
  end(): Promise<void>;
}

const everyMs = 150;
const limits = { text: 64 * 1024, reasoning: 32 * 1024, input: 16 * 1024, toolCalls: 16 };

/**
 * Calls `publish` with the complete output so far: at the first word, then every 150 ms if there is more. Calls never
 * overlap. `publish` must not reject.
 */
export function createLiveOutput(publish: (output: ModelOutput) => Promise<void>): LiveOutput {
  const output = createCollector();
  let publishing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let hasUnpublished = false;
  let isEnded = false;

  function publishNow(): void {
    hasUnpublished = false;
    publishing = publishAll();
    timer = setTimeout(() => {
      timer = null;
      publishSoon();
    }, everyMs);
  }

  async function publishAll(): Promise<void> {
    await publish(output.read());
    publishing = null;
    publishSoon();
  }

  function publishSoon(): void {
    if (hasUnpublished && !isEnded && !publishing && !timer) publishNow();
  }

  return {
    add(part) {
      if (!output.take(part)) return;
      hasUnpublished = true;
      publishSoon();
    },
    async end() {
      isEnded = true;
      if (timer) clearTimeout(timer);
      await publishing;
    },
  };
}

function createCollector() {
  const text = createTail(limits.text);
  const reasoning = createTail(limits.reasoning);
  const calls = new Map<string, { toolName: string; input: Tail; isComplete: boolean }>();

  function callOf(id: string, toolName: string) {
    const call = calls.get(id) ?? { toolName, input: createTail(limits.input), isComplete: false };
    calls.set(id, call);
    return call;
  }

  return {
    /** Whether there is unpublished output. */
    take(part: ModelPart): boolean {
      switch (part.type) {
        case "text-delta":
          return text.add(part.delta);
        case "reasoning-delta":
          return reasoning.add(part.delta);
        case "tool-input-start":
          callOf(part.id, part.toolName);
          return true;
        case "tool-input-delta":
          return calls.get(part.id)?.input.add(part.delta) ?? false;
        case "tool-call": {
          const call = callOf(part.toolCallId, part.toolName);
          call.isComplete = true;
          call.input = createTail(limits.input);
          call.input.add(part.input);
          return true;
        }
        default:
          return false;
      }
    },
    read(): ModelOutput {
      const [said, thought] = [text.read(), reasoning.read()];
      const toolCalls = [...calls].slice(-limits.toolCalls).map(([toolCallId, { toolName, input, isComplete }]) => {
        const { end, cut } = input.read();
        return { toolCallId, toolName, input: end, inputCut: cut, isComplete };
      });
      return {
        text: said.end,
        textCut: said.cut,
        reasoning: thought.end,
        reasoningCut: thought.cut,
        toolCalls,
        toolCallsCut: calls.size - toolCalls.length,
      };
    },
  };
}

type Tail = ReturnType<typeof createTail>;

/** The end of a growing text, and the length of the text before it. */
function createTail(maxChars: number) {
  let kept = "";
  let dropped = 0;

  function cutTo(chars: number): void {
    if (kept.length <= chars) return;
    const from = kept.length - chars;
    // Do not cut inside a character.
    const start = isLowSurrogate(kept.charCodeAt(from)) ? from + 1 : from;
    dropped += start;
    kept = kept.slice(start);
  }

  return {
    add(more: string): boolean {
      kept += more;
      // Do not cut for each word: cutting copies the text.
      if (kept.length > 2 * maxChars) cutTo(maxChars);
      return more !== "";
    },
    read(): { end: string; cut: number } {
      cutTo(maxChars);
      return { end: kept, cut: dropped };
    },
  };
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
