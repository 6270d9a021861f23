import type { Command } from 'commander';
import { addRoute, listRoutes, removeRoute, requireRoute } from '../../../carriers/setup/routes.js';
import type { Route } from '../../../platform/generated/prisma/client.js';
import { addList, addRemoval } from '../../actions.js';
import { withChange } from '../../change.js';
import { type CliContext, getCarrierTypes } from '../../context.js';
import { pick, print } from '../../output.js';

interface AddOptions {
  account?: string;
  callingCode?: string;
  sender?: string;
  position: string;
}

export function addRouteCommands(program: Command, context: CliContext): void {
  const route = program
    .command('route')
    .description('rules that assign SMS to carriers; SMS without a route go to SMS_CARRIER');

  route
    .command('add')
    .description('add a route; running servers use it within seconds')
    .argument('<carrier...>', 'names, in the order to try them')
    .option('--account <account-id>', 'only for this account')
    .option(
      '--calling-code <digits>',
      "first digits of the recipient's number, such as 40 or 4072; the longest match wins",
    )
    .option('--sender <sender-id>', 'only for this sender ID')
    .option('--position <number>', 'among otherwise equal routes, the lowest position wins', '0')
    .action(async (carriers: string[], { account: accountId, ...options }: AddOptions, command: Command) => {
      const position = Number(options.position);
      if (!Number.isInteger(position)) command.error("error: option '--position <number>' must be a whole number");
      const input = { ...options, accountId, carriers, position };
      const { id } = await withChange(
        context,
        (prisma) => addRoute(prisma, input, getCarrierTypes(context)),
        (created) => ({ action: 'route.create', accountId, subject: created.id, after: toAuditEntry(created) }),
      );
      print(context, command, { id }, `Created route ${id}.`);
    });

  addList(route, context, {
    description: 'list all routes, more specific ones first',
    find: async (prisma) =>
      (await listRoutes(prisma)).map((row) =>
        pick(row, 'id', 'accountId', 'callingCode', 'sender', 'carriers', 'position'),
      ),
    columns: {
      ID: 'id',
      ACCOUNT: (row) => row.accountId ?? 'all',
      'CALLING CODE': (row) => row.callingCode ?? 'all',
      SENDER: (row) => row.sender ?? 'all',
      CARRIERS: (row) => row.carriers.join(' '),
      POSITION: (row) => String(row.position),
    },
  });

  addRemoval(route, context, 'remove', {
    noun: 'Route',
    description: 'remove a route',
    perform: async (prisma, id) => {
      const before = await requireRoute(prisma, id);
      await removeRoute(prisma, id);
      return { accountId: before.accountId, before: toAuditEntry(before) };
    },
  });
}

function toAuditEntry(route: Route) {
  return pick(route, 'callingCode', 'sender', 'carriers', 'position');
}
