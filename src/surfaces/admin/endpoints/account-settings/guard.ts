import type { FastifyRequest } from 'fastify';
import { inside } from '../../../../accounts/audit/change.js';
import { changeGuard, type GuardInput } from '../../../../features/spending/guards.js';
import { releaseHold, toHoldRecord } from '../../../../features/spending/holds.js';
import { type GuardView, viewGuards } from '../../../../features/spending/view-guards.js';
import type { Clock } from '../../../../platform/clock.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { ok } from '../../answers.js';
import { GUARD } from '../../contract/account-settings/guard.js';
import { type Endpoints, routesOf } from '../../endpoint.js';
import { accountOf } from '../../session-auth.js';
import { requireVersion, versionOf } from '../../versions.js';

export type GuardOptions = OptionsOf<typeof viewGuards> & { clock: Clock };

/** To where an account and its keys may send, and how much. */
export const guardEndpoints: Endpoints<GuardOptions> = async (app, options) => {
  const route = routesOf(app, GUARD);
  const set = (request: FastifyRequest, keyId: string | null, guard: GuardInput | null) => {
    const { id: accountId } = accountOf(request);
    return request.change(async (change) => {
      const { told } = await changeGuard(change.prisma, { accountId, keyId }, (was) => {
        requireVersion(request, versionOf(was));
        return guard;
      });
      return { result: await shown(inside(options, change), accountId), told };
    });
  };
  const shown = async (stores: Parameters<typeof viewGuards>[0], accountId: string) => {
    const { holds, keys, ...guards } = await viewGuards(stores, accountId, options.clock.now());
    return ok({ ...withVersion(guards), keys: keys.map(withVersion), holds: holds.map(toHoldRecord) });
  };

  route('GET /accounts/:accountId/guard', (request) => shown(options, accountOf(request).id));
  route('PUT /accounts/:accountId/guard', (request) => set(request, null, request.body.guard));
  route('PUT /accounts/:accountId/keys/:keyId/guard', (request) =>
    set(request, request.params.keyId, request.body.guard),
  );
  route('POST /accounts/:accountId/guard/holds/:holdId/release', (request) => {
    const { id: accountId } = accountOf(request);
    const { holdId: id } = request.params;
    return request.change(async (change) => {
      const by = request.actor.name;
      const { prefix, reason } = await releaseHold(change.prisma, { id, accountId }, by, options.clock.now());
      const told = { action: 'guard.release', subject: id, after: { prefix, reason } };
      return { result: await shown(inside(options, change), accountId), told };
    });
  });
};

/** What is used of a limit changes with every message, and is no part of what somebody changes. */
function withVersion<T extends { guard: GuardView | null }>(of: T): T & { version: string } {
  const { guard } = of;
  const written: GuardInput | null = guard && {
    ...guard,
    limits: guard.limits.map(({ used: _used, ...limit }) => limit),
  };
  return { ...of, version: versionOf(written) };
}
