import type { FastifyRequest } from 'fastify';
import { bindToTransaction } from '../../../../accounts/audit/change.js';
import { changeGuard, type GuardInput } from '../../../../features/spending/guards.js';
import { releaseHold, toHoldRecord } from '../../../../features/spending/holds.js';
import { type GuardView, viewGuards } from '../../../../features/spending/view-guards.js';
import type { Clock } from '../../../../platform/clock.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { ok } from '../../answers.js';
import { GUARD } from '../../contract/account-settings/guard.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';
import { requireVersion, toVersion } from '../../versions.js';

export type GuardOptions = UseCaseOptions<typeof viewGuards> & { clock: Clock };

export const guardEndpoints: Endpoints<GuardOptions> = async (app, options) => {
  const route = registerRoutes(app, GUARD);
  const saveGuard = (request: FastifyRequest, keyId: string | null, guard: GuardInput | null) => {
    const { id: accountId } = requestAccount(request);
    return request.change(async (change) => {
      const { audit } = await changeGuard(change.prisma, { accountId, keyId }, (current) => {
        requireVersion(request, toVersion(current));
        return guard;
      });
      return { result: await answerGuards(bindToTransaction(options, change), accountId), audit };
    });
  };
  const answerGuards = async (stores: Parameters<typeof viewGuards>[0], accountId: string) => {
    const { holds, keys, ...guards } = await viewGuards(stores, accountId, options.clock.now());
    return ok({ ...withVersion(guards), keys: keys.map(withVersion), holds: holds.map(toHoldRecord) });
  };

  route('GET /accounts/:accountId/guard', (request) => answerGuards(options, requestAccount(request).id));
  route('PUT /accounts/:accountId/guard', (request) => saveGuard(request, null, request.body.guard));
  route('PUT /accounts/:accountId/keys/:keyId/guard', (request) =>
    saveGuard(request, request.params.keyId, request.body.guard),
  );
  route('POST /accounts/:accountId/guard/holds/:holdId/release', (request) => {
    const { id: accountId } = requestAccount(request);
    const { holdId: id } = request.params;
    return request.change(async (change) => {
      const operatorName = request.actor.name;
      const { prefix, reason } = await releaseHold(change.prisma, { id, accountId }, operatorName, options.clock.now());
      const audit = { action: 'guard.release', subject: id, after: { prefix, reason } };
      return { result: await answerGuards(bindToTransaction(options, change), accountId), audit };
    });
  });
};

/** Computes the version without the used amounts of the limits, because the used amounts change with every message. */
function withVersion<T extends { guard: GuardView | null }>(entry: T): T & { version: string } {
  const { guard } = entry;
  const settings: GuardInput | null = guard && {
    ...guard,
    limits: guard.limits.map(({ used: _used, ...limit }) => limit),
  };
  return { ...entry, version: toVersion(settings) };
}
