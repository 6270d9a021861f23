import { type Command, Option } from 'commander';

/** For `.option`: narrows a list to one account. */
export const OF_ACCOUNT = ['--account <account-id>', 'of one account only'] as const;

/** For options that may be given again and again. */
export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

/** What `addSwitch` reads. */
export interface Switch {
  on?: boolean;
  off?: boolean;
}

/** Adds `--on` and `--off`, which exclude each other. */
export function addSwitch(command: Command, { on, off }: { on: string; off: string }): Command {
  return command.option('--on', on).addOption(new Option('--off', off).conflicts('on'));
}

/** What `--on` or `--off` asks for; undefined where neither was given. */
export function wantedState({ on, off }: Switch): boolean | undefined {
  if (on) return true;
  return off ? false : undefined;
}
