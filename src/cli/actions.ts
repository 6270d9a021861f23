import type { Command } from 'commander';
import type { Prisma, PrismaClient } from '../platform/generated/prisma/client.js';
import { withChange } from './change.js';
import type { CliContext } from './context.js';
import { formatTable, type Json, print } from './output.js';
import { withStore } from './store.js';

/** The name of a field, or a function that formats the row. A field that is null is shown as an empty cell. */
export type Column<Row> = (keyof Row & string) | ((row: Row) => string);

export interface List<Options, Row extends object> {
  /** Default: `list`. */
  name?: string;
  description: string;
  /** @param args positional arguments */
  find(prisma: PrismaClient, options: Options, args: readonly string[]): Promise<readonly Row[]>;
  columns: Record<string, Column<Row>>;
}

export function addList<Options extends object, Row extends object>(
  parent: Command,
  context: CliContext,
  { name = 'list', description, find, columns }: List<Options, Row>,
): Command {
  const command = parent.command(name).description(description);
  return command.action(async () => {
    const rows = await withStore(context, (prisma) => find(prisma, command.opts<Options>(), command.args));
    const cells = rows.map((row) => Object.values(columns).map((column) => formatCell(row, column)));
    print(context, command, rows as readonly object[] as Json[], formatTable(Object.keys(columns), cells));
  });
}

function formatCell<Row extends object>(row: Row, column: Column<Row>): string {
  return typeof column === 'function' ? column(row) : String(row[column] ?? '');
}

const REMOVALS = {
  revoke: { result: { revoked: true }, done: 'is revoked' },
  remove: { result: { removed: true }, done: 'was removed' },
};

export interface Removed {
  accountId?: string | null;
  before: object;
}

export interface RemovalSubject {
  /** First word of the result message, such as `Route`. */
  noun: string;
  /** Default: `id`. */
  key?: 'id' | 'name';
  description: string;
  perform(prisma: Prisma.TransactionClient, key: string): Promise<Removed | null>;
}

export function addRemoval(
  parent: Command,
  context: CliContext,
  removal: keyof typeof REMOVALS,
  { noun, key = 'id', description, perform }: RemovalSubject,
): void {
  parent
    .command(removal)
    .description(description)
    .argument(key === 'id' ? `<${noun.toLowerCase()}-id>` : `<${key}>`)
    .action(async (value: string, _options: object, command: Command) => {
      await withChange(
        context,
        (prisma) => perform(prisma, value),
        (removed) => removed && { action: `${noun.toLowerCase()}.${removal}`, subject: value, ...removed },
      );
      const { result, done } = REMOVALS[removal];
      print(context, command, { [key]: value, ...result }, `${noun} ${value} ${done}.`);
    });
}
