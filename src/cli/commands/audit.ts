import type { Command } from 'commander';
import { listAudit } from '../../accounts/audit/list.js';
import { addList } from '../actions.js';
import type { CliContext } from '../context.js';
import { ACCOUNT_FILTER } from '../options.js';

interface Options {
  account?: string;
  actor?: string;
  action?: string;
  limit: string;
}

export function addAuditCommands(program: Command, context: CliContext): void {
  const log = program.command('audit').description('log of changes by operators and commands');

  addList(log, context, {
    description: 'list changes, newest first',
    find: async (prisma, { account: accountId, actor, action, limit }: Options) => {
      const { lines } = await listAudit(
        { prisma },
        { accountId, actor, action },
        { limit: parseLimit(limit), before: null },
      );
      return lines.map(({ at, before, after, ...line }) => ({
        ...line,
        at: at.toISOString(),
        before: before as null,
        after: after as null,
      }));
    },
    columns: {
      TIME: 'at',
      WHO: ({ actorKind, actorName }) => (actorKind === 'operator' ? actorName : `${actorName} (${actorKind})`),
      FROM: 'address',
      ACTION: 'action',
      SUBJECT: 'subject',
      AFTER: ({ after }) => (after === null ? '' : JSON.stringify(after)),
    },
  })
    .option(...ACCOUNT_FILTER)
    .option('--actor <name>', 'only changes by people whose name contains this')
    .option('--action <action>', 'such as app.create, or app for all changes to apps')
    .option('--limit <number>', 'maximum number of lines', '50');
}

function parseLimit(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 10_000)
    throw new Error('--limit must be a whole number from 1 to 10000');
  return number;
}
