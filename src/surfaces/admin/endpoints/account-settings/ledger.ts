import { listLedger } from '../../../../accounts/ledger.js';
import { formatMoney } from '../../../../accounts/money.js';
import type { Reads } from '../../../../platform/reads/reads.js';
import { cursorPage, page } from '../../answers.js';
import { LEDGER } from '../../contract/account-settings/ledger.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';

export const ledgerEndpoints: Endpoints<{ reads: Reads }> = async (app, { reads }) => {
  const route = registerRoutes(app, LEDGER);
  route('GET /accounts/:accountId/ledger', async (request) => {
    const { kind } = request.query;
    const { entries, next } = await reads(({ prisma }) =>
      listLedger(prisma, requestAccount(request).id, { ...cursorPage(request.query), kind }),
    );
    const lines = entries.map((entry) => ({
      id: entry.id,
      kind: entry.kind,
      amount: formatMoney(entry.amountMicros),
      balanceAfter: formatMoney(entry.balanceAfterMicros),
      messageCount: entry.messageCount,
      note: entry.note,
      createdAt: entry.createdAt.toISOString(),
    }));
    return page(lines, next);
  });
};
