import type { FastifyRequest } from 'fastify';
import { lockedAccount } from '../../../../accounts/accounts.js';
import { changeOf } from '../../../../accounts/audit/change-of.js';
import {
  findKeyGuard,
  listKeyGuards,
  readGuard,
  setGuard,
  type WrittenGuard,
  writtenGuard,
} from '../../../../features/spending/guards.js';
import { showGuard } from '../../../../features/spending/show.js';
import type { Clock } from '../../../../platform/clock.js';
import type { Prisma } from '../../../../platform/generated/prisma/client.js';
import type { Connection } from '../../../../platform/store/within.js';
import { ok } from '../../answers.js';
import { GUARD } from '../../contract/account-settings/guard.js';
import { type Endpoints, routesOf } from '../../endpoint.js';
import { accountOf } from '../../session-auth.js';
import type { GuardsData } from './guard-schemas.js';

export interface GuardOptions {
  prisma: Prisma.TransactionClient;
  pool: Connection;
  clock: Clock;
}

/** To where an account and its keys may send, and how much. */
export const guardEndpoints: Endpoints<GuardOptions> = async (app, options) => {
  const route = routesOf(app, GUARD);

  const shown = async (prisma: Prisma.TransactionClient, pool: Connection, accountId: string) => {
    const now = options.clock.now();
    const { currency, spendGuard } = await prisma.account.findUniqueOrThrow({ where: { id: accountId } });
    const keys: (typeof GuardsData.static)['keys'] = [];
    for (const { id, name, spendGuard: stored } of await listKeyGuards(prisma, accountId)) {
      keys.push({ id, name, guard: await showGuard(pool, { accountId, keyId: id }, stored, now) });
    }
    return { currency, guard: await showGuard(pool, { accountId, keyId: null }, spendGuard, now), keys };
  };

  const set = (request: FastifyRequest, keyId: string | null, guard: WrittenGuard | null) => {
    const { id: accountId } = accountOf(request);
    return request.change(async ({ prisma, client }) => {
      const account = await lockedAccount(prisma, accountId);
      const { spendGuard } = keyId === null ? account : await findKeyGuard(prisma, { accountId, keyId });
      const read = guard && readGuard(guard);
      await setGuard(prisma, { accountId, keyId }, read);
      const [was, now] = [{ guard: writtenGuard(spendGuard) }, { guard: writtenGuard(read) }];
      const told = changeOf('guard.change', keyId ?? accountId, was, now);
      return { result: ok(await shown(prisma, client, accountId)), told };
    });
  };

  route('GET /accounts/:accountId/guard', async (request) =>
    ok(await shown(options.prisma, options.pool, accountOf(request).id)),
  );
  route('PUT /accounts/:accountId/guard', (request) => set(request, null, request.body.guard));
  route('PUT /accounts/:accountId/keys/:keyId/guard', (request) =>
    set(request, request.params.keyId, request.body.guard),
  );
};
