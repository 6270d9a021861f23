import { type Command, InvalidArgumentError, Option } from 'commander';

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

/** The option `--limit` of a list that may be long. */
export function limitOption(byDefault: number): Option {
  return new Option('--limit <number>', 'how many lines at most').default(byDefault).argParser((text) => {
    if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.');
    return Number(text);
  });
}
