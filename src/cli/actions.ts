import type { Command } from 'commander';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import type { CliContext } from './context.js';
import { type Json, print, table } from './output.js';
import { withStore } from './store.js';

/** A command `list`: what it finds and how it shows that. */
export interface List<Options, Found, Row extends Json> {
  description: string;
  /** @param args arguments of the command line, in order */
  find(prisma: PrismaClient, options: Options, args: readonly string[]): Promise<readonly Found[]>;
  /** What scripts read of one entry. */
  toRow(found: Found): Row;
  /** Headings, from left to right, and what each column shows of a row. */
  columns: Record<string, (row: NoInfer<Row>) => string>;
}

/**
 * Adds a command `list` that prints columns under a heading, or the rows as JSON where `--json` was given.
 * @returns the command, for its options and arguments
 */
export function addList<Options extends object, Found, Row extends Json>(
  parent: Command,
  context: CliContext,
  { description, find, toRow, columns }: List<Options, Found, Row>,
): Command {
  const command = parent.command('list').description(description);
  return command.action(async () => {
    const found = await withStore(context, (prisma) => find(prisma, command.opts<Options>(), command.args));
    const rows = found.map(toRow);
    const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)));
    print(context, command, rows, table(Object.keys(columns), cells));
  });
}

/** A command that does one thing to what its only argument names. */
export interface Act {
  name: string;
  description: string;
  /** The argument as the help shows it, such as `<app-id>`. */
  argument: string;
  perform(prisma: PrismaClient, id: string): Promise<void>;
  /** What scripts read once it is done. */
  result(id: string): Json;
  /** What people read once it is done. */
  done(id: string): string;
}

/** Adds a command that acts on one id or name. */
export function addAct(parent: Command, context: CliContext, act: Act): void {
  parent
    .command(act.name)
    .description(act.description)
    .argument(act.argument)
    .action(async (id: string, _options: object, command: Command) => {
      await withStore(context, (prisma) => act.perform(prisma, id));
      print(context, command, act.result(id), act.done(id));
    });
}
