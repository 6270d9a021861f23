import type { Command } from 'commander';
import type { Prisma, PrismaClient } from '../platform/generated/prisma/client.js';
import { withChange } from './change.js';
import type { CliContext } from './context.js';
import { type Json, print, table } from './output.js';
import { withStore } from './store.js';

/** Shows a text of a row by the name of its field, empty where it is null, or what a function makes of the row. */
export type Column<Row> = (keyof Row & string) | ((row: Row) => string);

/** A command that lists: what it finds and how it shows that. */
export interface List<Options, Row extends object> {
  /** `list` unless told. */
  name?: string;
  description: string;
  /**
   * The rows as scripts read them.
   * @param args arguments of the command line, in order
   */
  find(prisma: PrismaClient, options: Options, args: readonly string[]): Promise<readonly Row[]>;
  /** By heading, from left to right. */
  columns: Record<string, Column<Row>>;
}

/**
 * Adds a command that prints columns under a heading, or the rows as JSON where `--json` was given.
 * @returns the command, for its options and arguments
 */
export function addList<Options extends object, Row extends object>(
  parent: Command,
  context: CliContext,
  { name = 'list', description, find, columns }: List<Options, Row>,
): Command {
  const command = parent.command(name).description(description);
  return command.action(async () => {
    const rows = await withStore(context, (prisma) => find(prisma, command.opts<Options>(), command.args));
    const cells = rows.map((row) => Object.values(columns).map((column) => cell(row, column)));
    print(context, command, rows as readonly object[] as Json[], table(Object.keys(columns), cells));
  });
}

function cell<Row extends object>(row: Row, column: Column<Row>): string {
  return typeof column === 'function' ? column(row) : String(row[column] ?? '');
}

const ACTS = {
  revoke: { result: { revoked: true }, done: 'is revoked' },
  remove: { result: { removed: true }, done: 'was removed' },
};

/** Whose something was that was ended, and what the audit log tells of it. */
export interface Ended {
  accountId?: string | null;
  before: object;
}

/** Something that a command can end for good. */
export interface Subject {
  /** Begins the sentence that says it is done, e.g. `Route`. */
  what: string;
  /** Which it is: its id unless said otherwise. */
  key?: 'id' | 'name';
  description: string;
  /** Ends it; null where it had ended before. */
  perform(prisma: Prisma.TransactionClient, key: string): Promise<Ended | null>;
}

/** Adds a command `revoke` or `remove`, whose only argument says which one. */
export function addAct(
  parent: Command,
  context: CliContext,
  act: keyof typeof ACTS,
  { what, key = 'id', description, perform }: Subject,
): void {
  parent
    .command(act)
    .description(description)
    .argument(key === 'id' ? `<${what.toLowerCase()}-id>` : `<${key}>`)
    .action(async (value: string, _options: object, command: Command) => {
      await withChange(
        context,
        (prisma) => perform(prisma, value),
        (ended) => ended && { action: `${what.toLowerCase()}.${act}`, subject: value, ...ended },
      );
      const { result, done } = ACTS[act];
      print(context, command, { [key]: value, ...result }, `${what} ${value} ${done}.`);
    });
}
