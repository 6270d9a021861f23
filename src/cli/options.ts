import { type Command, InvalidArgumentError, Option } from 'commander';

export const ACCOUNT_FILTER = ['--account <account-id>', 'only of this account'] as const;

export function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}

export interface Switch {
  on?: boolean;
  off?: boolean;
}

export function addSwitch(command: Command, { on, off }: { on: string; off: string }): Command {
  return command.option('--on', on).addOption(new Option('--off', off).conflicts('on'));
}

export function readSwitch({ on, off }: Switch): boolean | undefined {
  if (on) return true;
  return off ? false : undefined;
}

export function limitOption(defaultLimit: number): Option {
  return new Option('--limit <number>', 'maximum number of lines').default(defaultLimit).argParser((text) => {
    if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.');
    return Number(text);
  });
}
