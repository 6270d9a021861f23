import { Type } from '@sinclair/typebox';
import { moneyToNumber } from '../../../accounts/money.js';
import {
  listSeenAccounts,
  listSeenChannels,
  type SeenAccount,
  type SeenOptions,
} from '../../../accounts/operators/accounts-seen.js';
import { type Grant, roleFor } from '../../../accounts/operators/roles.js';
import { isOnlySimulated } from '../../../features/carriers/only-simulated.js';
import { isLow } from '../../../features/overview/attention.js';
import { cursorPage, ok, page, pageQuery } from '../answers.js';
import { type Endpoints, endpoint, pageEndpoint } from '../endpoint.js';
import { accountOf } from '../session-auth.js';
import { AccountData, AccountEntry, AccountPath } from './accounts-schemas.js';

export type AccountsOptions = SeenOptions & { prisma: Parameters<typeof isOnlySimulated>[0] };

/** The accounts that an operator may see. */
export const accountEndpoints: Endpoints<AccountsOptions> = async (app, options) => {
  app.get(
    '/accounts',
    pageEndpoint({
      needs: 'session',
      of: 'self',
      operationId: 'consoleListAccounts',
      summary: 'List the accounts that the operator may see, the newest first',
      querystring: pageQuery({
        search: Type.Optional(Type.String({ description: 'A part of the name, in any case.' })),
      }),
      entry: AccountEntry,
    }),
    async ({ query, operator: { grants } }) => {
      const { accounts, next } = await listSeenAccounts(options, grants, {
        ...cursorPage(query),
        search: query.search,
      });
      return page(
        accounts.map((each) => entryOf(each, grants)),
        next,
      );
    },
  );

  app.get(
    '/accounts/:accountId',
    endpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleGetAccount',
      summary: 'Show an account and its channels',
      params: AccountPath,
      data: AccountData,
    }),
    async (request) => {
      const account = accountOf(request);
      const [channels, onlySimulated] = await Promise.all([
        listSeenChannels(options, account.id),
        isOnlySimulated(options.prisma),
      ]);
      return ok({
        ...entryOf(account, request.operator.grants),
        isLow: isLow(account),
        onlySimulated,
        channels: channels.map(({ id, name, kind, phoneNumber, carrier, isActive, isDefault }) => {
          return { id, name, kind, phoneNumber, carrier, isActive, isDefault };
        }),
      });
    },
  );
};

function entryOf(account: SeenAccount, grants: readonly Grant[]) {
  const { id, name, currency, balanceMicros, rateCardId, isActive, createdAt } = account;
  return {
    id,
    name,
    currency,
    balance: moneyToNumber(balanceMicros),
    rateCard: rateCardId,
    isActive,
    createdAt: createdAt.toISOString(),
    role: roleFor(grants, id) ?? ('viewer' as const),
  };
}
