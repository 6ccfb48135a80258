import { Command } from "commander";
import { usageFailure } from "../terminal/failure.ts";

/** A command whose usage errors are Failures with exit code 2, and name its help. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Declares a subcommand with its examples, one per line. */
  subcommand(name: string, description: string, examples: readonly string[]): CliCommand {
    const command = this.createCommand(name).description(description).copyInheritedSettings(this);
    command.addHelpText(
      "after",
      `\n${examples.length > 1 ? "Examples" : "Example"}:\n${examples.map((example) => `  $ ${example}\n`).join("")}`,
    );
    this.addCommand(command);
    return command;
  }

  override error(message: string): never {
    const [what = "", ...suggestion] = message.replace(/^error: /, "").split("\n");
    const hint = suggestion.join(" ").replace(/^\((.*)\)$/, "$1");
    throw usageFailure(`${sentence(what)}${hint ? ` ${hint}` : ""}`, `Run \`${this.fullName()} --help\` for usage.`);
  }

  fullName(): string {
    return this.parent instanceof CliCommand ? `${this.parent.fullName()} ${this.name()}` : this.name();
  }
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(capital) ? capital : `${capital}.`;
}
