import type { FastifyRequest } from 'fastify';
import {
  addOperator,
  issueLink,
  removeOperator,
  resetOperator,
  setOperatorActive,
} from '../../../../accounts/operators/changes/change.js';
import { setGrants } from '../../../../accounts/operators/changes/grants.js';
import { type ListedOperator, listOperators } from '../../../../accounts/operators/list.js';
import type { SessionRef } from '../../../../accounts/operators/locked-operator.js';
import type { Grant } from '../../../../accounts/operators/roles/roles.js';
import { buildSignInUrl, type NewLink } from '../../../../accounts/operators/sign-in/sign-in-links.js';
import {
  listActiveCredentials,
  revokeCreatedCredentials,
} from '../../../../features/operator-credentials/created-credentials.js';
import type { Clock } from '../../../../platform/clock.js';
import { isUuid } from '../../../../platform/ids.js';
import { iso } from '../../../http/schemas/values.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { cursorPage, done, ok, page } from '../../answers.js';
import { OPERATORS } from '../../contract/operators/operators.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { consoleOrigin } from '../../same-origin.js';
import { requireVersion, toVersion } from '../../versions.js';

export type OperatorOptions = UseCaseOptions<typeof listOperators> & {
  prisma: Parameters<typeof listActiveCredentials>[0];
  clock: Clock;
  /** URL of the console, by default derived from the request. */
  consoleUrl: string | undefined;
};

export const operatorEndpoints: Endpoints<OperatorOptions> = async (app, options) => {
  const route = registerRoutes(app, OPERATORS);
  const { prisma, clock, consoleUrl } = options;

  route('GET /operators', async ({ query }) => {
    const { operators, next } = await listOperators(options, cursorPage(query));
    return page(operators.map(toOperatorData), next);
  });

  route('POST /operators', async (request) => {
    const { name, grants } = request.body;
    const input = { name, grants, at: clock.now() };
    const { operator, link } = await request.change(({ prisma }) => addOperator(prisma, input, toSessionRef(request)));
    return ok({ id: operator.id, name: operator.name, link: toLinkData(link, consoleOrigin(request, consoleUrl)) });
  });

  route('PUT /operators/:operatorId/grants', async (request) => {
    const { operatorId } = request.params;
    const { grants } = request.body;
    const checkVersion = (current: readonly Grant[]) => requireVersion(request, toGrantsVersion(current));
    await request.change(({ prisma }) => setGrants(prisma, operatorId, grants, toSessionRef(request), checkVersion));
    return done();
  });

  route('PUT /operators/:operatorId/active', async (request) => {
    const { operatorId } = request.params;
    const { isActive } = request.body;
    await request.change(({ prisma }) => setOperatorActive(prisma, operatorId, isActive, toSessionRef(request)));
    return done();
  });

  route('POST /operators/:operatorId/link', async (request) => {
    const { operatorId } = request.params;
    const at = clock.now();
    const link = await request.change(({ prisma }) => issueLink(prisma, operatorId, at, toSessionRef(request)));
    return ok(toLinkData(link, consoleOrigin(request, consoleUrl)));
  });

  route('POST /operators/:operatorId/reset', async (request) => {
    const { operatorId } = request.params;
    const at = clock.now();
    const link = await request.change(({ prisma }) => resetOperator(prisma, operatorId, at, toSessionRef(request)));
    return ok(toLinkData(link, consoleOrigin(request, consoleUrl)));
  });

  route('GET /operators/:operatorId/made', async ({ params: { operatorId } }) =>
    ok(isUuid(operatorId) ? await listActiveCredentials(prisma, operatorId) : []),
  );

  route('DELETE /operators/:operatorId', async (request) => {
    const { operatorId } = request.params;
    await request.change(async ({ prisma }) => {
      const { audit } = await removeOperator(prisma, operatorId, toSessionRef(request));
      const revocations = request.query.end ? await revokeCreatedCredentials(prisma, operatorId, clock.now()) : [];
      return { result: null, audit: [...[audit ?? []].flat(), ...revocations] };
    });
    return done();
  });
};

/**
 * Passes on only the IDs of the operator and the session, because the operator's rights are read again inside the transaction.
 */
export function toSessionRef({ operator, session }: FastifyRequest): SessionRef {
  return { operatorId: operator.id, sessionId: session.id };
}

export function toLinkData({ token, expiresAt }: NewLink, origin: string) {
  return { url: buildSignInUrl(origin, token), expiresAt: expiresAt.toISOString() };
}

function toGrantsVersion(grants: readonly Grant[]): string {
  return toVersion(grants.map(({ role, accountId }) => `${accountId} ${role}`).sort());
}

function toOperatorData({ createdAt, lastSignedInAt, ...rest }: ListedOperator) {
  return {
    ...rest,
    version: toGrantsVersion(rest.grants),
    createdAt: createdAt.toISOString(),
    lastSignedInAt: iso(lastSignedInAt),
  };
}
