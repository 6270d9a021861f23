import { moneyToNumber } from '../../../../accounts/money.js';
import { findHighestRole, type Grant } from '../../../../accounts/operators/roles/roles.js';
import {
  listVisibleAccounts,
  listVisibleChannels,
  type VisibleAccount,
  type VisibleAccountsOptions,
} from '../../../../accounts/operators/roles/visible-accounts.js';
import { isOnlySimulated } from '../../../../features/carriers/is-only-simulated.js';
import { hasLowBalance } from '../../../../features/overview/attention.js';
import { cursorPage, ok, page } from '../../answers.js';
import { ACCOUNTS } from '../../contract/accounts.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';

export type AccountsOptions = VisibleAccountsOptions & { prisma: Parameters<typeof isOnlySimulated>[0] };

export const accountEndpoints: Endpoints<AccountsOptions> = async (app, options) => {
  const route = registerRoutes(app, ACCOUNTS);
  route('GET /accounts', async ({ query, operator: { grants } }) => {
    const { accounts, next } = await listVisibleAccounts(options, grants, {
      ...cursorPage(query),
      search: query.search,
    });
    return page(
      accounts.map((account) => toEntry(account, grants)),
      next,
    );
  });

  route('GET /accounts/:accountId', async (request) => {
    const account = requestAccount(request);
    const [channels, onlySimulated] = await Promise.all([
      listVisibleChannels(options, account.id),
      isOnlySimulated(options.prisma),
    ]);
    return ok({
      ...toEntry(account, request.operator.grants),
      isLow: hasLowBalance(account),
      onlySimulated,
      channels: channels.map(({ id, name, kind, phoneNumber, carrier, isActive, isDefault }) => {
        return { id, name, kind, phoneNumber, carrier, isActive, isDefault };
      }),
    });
  });
};

function toEntry(account: VisibleAccount, grants: readonly Grant[]) {
  const { id, name, currency, balanceMicros, rateCardId, isActive, createdAt } = account;
  return {
    id,
    name,
    currency,
    balance: moneyToNumber(balanceMicros),
    rateCard: rateCardId,
    isActive,
    createdAt: createdAt.toISOString(),
    role: findHighestRole(grants, id) ?? ('viewer' as const),
  };
}
