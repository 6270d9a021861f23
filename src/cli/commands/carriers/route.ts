import type { Command } from 'commander';
import { addRoute, listRoutes, removeRoute, requireRoute } from '../../../carriers/setup/routes.js';
import type { Route } from '../../../platform/generated/prisma/client.js';
import { addAct, addList } from '../../actions.js';
import { withChange } from '../../change.js';
import { type CliContext, carrierTypes } from '../../context.js';
import { pick, print } from '../../output.js';

interface AddOptions {
  account?: string;
  callingCode?: string;
  sender?: string;
  position: string;
}

/** `heliograph route …`: which carriers take which SMS. */
export function addRouteCommands(program: Command, context: CliContext): void {
  const route = program.command('route').description('which carriers take which SMS; without any, SMS_CARRIER does');

  route
    .command('add')
    .description('make a route; running servers go by it some seconds later')
    .argument('<carrier...>', 'names, in the order in which they are tried')
    .option('--account <account-id>', 'of one account only')
    .option(
      '--calling-code <digits>',
      'first digits of the recipient, such as 40 or 4072; the longest that fits counts',
    )
    .option('--sender <sender-id>', 'of one sender ID only')
    .option('--position <number>', 'of routes that are alike otherwise, the lowest counts', '0')
    .action(async (carriers: string[], { account: accountId, ...options }: AddOptions, command: Command) => {
      const position = Number(options.position);
      if (!Number.isInteger(position)) command.error("error: option '--position <number>' must be a whole number");
      const input = { ...options, accountId, carriers, position };
      const { id } = await withChange(
        context,
        (prisma) => addRoute(prisma, input, carrierTypes(context)),
        (made) => ({ action: 'route.create', accountId, subject: made.id, after: audited(made) }),
      );
      print(context, command, { id }, `Route ${id} was made.`);
    });

  addList(route, context, {
    description: 'all routes, the more specific ones first',
    find: async (prisma) =>
      (await listRoutes(prisma)).map((each) =>
        pick(each, 'id', 'accountId', 'callingCode', 'sender', 'carriers', 'position'),
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

  addAct(route, context, 'remove', {
    what: 'Route',
    description: 'take a route away',
    perform: async (prisma, id) => {
      const before = await requireRoute(prisma, id);
      await removeRoute(prisma, id);
      return { accountId: before.accountId, before: audited(before) };
    },
  });
}

function audited(route: Route) {
  return pick(route, 'callingCode', 'sender', 'carriers', 'position');
}
