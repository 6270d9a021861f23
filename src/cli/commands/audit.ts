import type { Command } from 'commander';
import { listAudit } from '../../accounts/audit/list.js';
import { addList } from '../actions.js';
import type { CliContext } from '../context.js';
import { OF_ACCOUNT } from '../options.js';

interface Options {
  account?: string;
  actor?: string;
  action?: string;
  limit: string;
}

/** `heliograph audit list`: who changed what, in the console or by this command. */
export function addAuditCommands(program: Command, context: CliContext): void {
  const log = program.command('audit').description('who changed what, and when');

  addList(log, context, {
    description: 'the last changes, the newest first',
    find: async (prisma, { account: accountId, actor, action, limit }: Options) => {
      const { lines } = await listAudit({ prisma }, { accountId, actor, action }, { limit: most(limit), before: null });
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
    .option(...OF_ACCOUNT)
    .option('--actor <name>', 'by whose name has this in it')
    .option('--action <action>', 'such as app.create, or app for all of apps')
    .option('--limit <number>', 'how many lines at most', '50');
}

function most(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 10_000) throw new Error('--limit must be from 1 to 10000');
  return number;
}
