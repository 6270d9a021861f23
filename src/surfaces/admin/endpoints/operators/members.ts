import { addToAccount, setAccountRole } from '../../../../accounts/operators/changes/grants.js';
import { listOperators } from '../../../../accounts/operators/list.js';
import type { Clock } from '../../../../platform/clock.js';
import { iso } from '../../../http/schemas/values.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { cursorPage, done, ok, page } from '../../answers.js';
import { MEMBERS } from '../../contract/operators/members.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { consoleOrigin } from '../../same-origin.js';
import { requestAccount } from '../../session-auth.js';
import { toLinkData, toSessionRef } from './operators.js';

export type MemberOptions = UseCaseOptions<typeof listOperators> & {
  clock: Clock;
  /** URL of the console, by default derived from the request. */
  consoleUrl: string | undefined;
};

/** Leaves out operators who have a role for the installation. */
export const memberEndpoints: Endpoints<MemberOptions> = async (app, options) => {
  const route = registerRoutes(app, MEMBERS);
  const { clock, consoleUrl } = options;

  route('GET /accounts/:accountId/operators', async (request) => {
    const filter = { ...cursorPage(request.query), accountId: requestAccount(request).id };
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
    const input = { accountId: requestAccount(request).id, name, role, at: clock.now() };
    const { operator, link } = await request.change(({ prisma }) => addToAccount(prisma, input, toSessionRef(request)));
    return ok({
      id: operator.id,
      name: operator.name,
      link: link && toLinkData(link, consoleOrigin(request, consoleUrl)),
    });
  });

  route('PUT /accounts/:accountId/operators/:operatorId', async (request) => {
    const { operatorId } = request.params;
    const input = { accountId: requestAccount(request).id, operatorId, role: request.body.role };
    await request.change(({ prisma }) => setAccountRole(prisma, input, toSessionRef(request)));
    return done();
  });

  route('DELETE /accounts/:accountId/operators/:operatorId', async (request) => {
    const input = { accountId: requestAccount(request).id, operatorId: request.params.operatorId, role: null };
    await request.change(({ prisma }) => setAccountRole(prisma, input, toSessionRef(request)));
    return done();
  });
};
