import { Type } from '@sinclair/typebox';
import { listLedger } from '../../../../accounts/ledger.js';
import { formatMoney } from '../../../../accounts/money.js';
import { cursorPage, page, pageQuery } from '../../answers.js';
import { type Endpoints, pageEndpoint } from '../../endpoint.js';
import { accountOf } from '../../session-auth.js';
import { AccountPath } from '../accounts-schemas.js';
import type { CarriersOptions } from '../installation/carriers.js';
import { LedgerEntryData, LedgerKind } from './settings-schemas.js';

/** What moved the balance of an account. */
export const ledgerEndpoints: Endpoints<Pick<CarriersOptions, 'prisma'>> = async (app, { prisma }) => {
  app.get(
    '/accounts/:accountId/ledger',
    pageEndpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleListLedger',
      summary: 'List the lines of the ledger of an account, the newest first',
      params: AccountPath,
      querystring: pageQuery({ kind: Type.Optional(LedgerKind) }),
      entry: LedgerEntryData,
    }),
    async (request) => {
      const { kind } = request.query;
      const { entries, next } = await listLedger(prisma, accountOf(request).id, { ...cursorPage(request.query), kind });
      const lines = entries.map((each) => ({
        id: each.id,
        kind: each.kind,
        amount: formatMoney(each.amountMicros),
        balanceAfter: formatMoney(each.balanceAfterMicros),
        messageCount: each.messageCount,
        note: each.note,
        createdAt: each.createdAt.toISOString(),
      }));
      return page(lines, next);
    },
  );
};
