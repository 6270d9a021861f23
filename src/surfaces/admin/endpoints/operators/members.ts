import { addToAccount, setAccountRole } from '../../../../accounts/operators/changes/grants.js';
import { listOperators } from '../../../../accounts/operators/list.js';
import type { Clock } from '../../../../platform/clock.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { iso } from '../../../http/schemas/values.js';
import { cursorPage, done, ok, page } from '../../answers.js';
import { MEMBERS } from '../../contract/operators/members.js';
import { type Endpoints, routesOf } from '../../endpoint.js';
import { consoleOrigin } from '../../same-origin.js';
import { accountOf } from '../../session-auth.js';
import { byOf, linkData } from './operators.js';

export type MemberOptions = OptionsOf<typeof listOperators> & {
  clock: Clock;
  /** Where browsers reach the console; undefined: where the request comes from. */
  consoleUrl: string | undefined;
};

/** The operators of an account: who has a role for it. Those of the whole installation are not among them. */
export const memberEndpoints: Endpoints<MemberOptions> = async (app, options) => {
  const route = routesOf(app, MEMBERS);
  const { clock, consoleUrl } = options;

  route('GET /accounts/:accountId/operators', async (request) => {
    const filter = { ...cursorPage(request.query), accountId: accountOf(request).id };
    const { operators, next } = await listOperators(options, filter);
    const entries = operators.map(({ id, name, isActive, hasSecondFactor, createdAt, lastSignedInAt, grants }) => ({
      id,
      name,
      role: grants[0]?.role ?? ('viewer' as const),
      isActive,
      hasSecondFactor,
      createdAt: createdAt.toISOString(),
      lastSignedInAt: iso(lastSignedInAt),
    }));
    return page(entries, next);
  });

  route('POST /accounts/:accountId/operators', async (request) => {
    const { name, role } = request.body;
    const input = { accountId: accountOf(request).id, name, role, at: clock.now() };
    const { operator, link } = await request.change(({ prisma }) => addToAccount(prisma, input, byOf(request)));
    return ok({
      id: operator.id,
      name: operator.name,
      link: link && linkData(link, consoleOrigin(request, consoleUrl)),
    });
  });

  route('PUT /accounts/:accountId/operators/:operatorId', async (request) => {
    const { operatorId } = request.params;
    const input = { accountId: accountOf(request).id, operatorId, role: request.body.role };
    await request.change(({ prisma }) => setAccountRole(prisma, input, byOf(request)));
    return done();
  });

  route('DELETE /accounts/:accountId/operators/:operatorId', async (request) => {
    const input = { accountId: accountOf(request).id, operatorId: request.params.operatorId, role: null };
    await request.change(({ prisma }) => setAccountRole(prisma, input, byOf(request)));
    return done();
  });
};
