import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import {
  addOperator,
  giveLink,
  removeOperator,
  resetOperator,
  switchOperator,
} from '../../../../accounts/operators/changes/change.js';
import { setGrants } from '../../../../accounts/operators/changes/grants.js';
import type { SignedInAs } from '../../../../accounts/operators/held.js';
import { type NewLink, signInUrl } from '../../../../accounts/operators/links.js';
import { type ListedOperator, listOperators } from '../../../../accounts/operators/list.js';
import type { Grant } from '../../../../accounts/operators/roles.js';
import { endMadeBy, madeBy } from '../../../../features/made-by/made-by.js';
import type { Clock } from '../../../../platform/clock.js';
import { isUuid } from '../../../../platform/ids.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { iso } from '../../../http/schemas/values.js';
import { cursorPage, DoneData, done, ok, page, pageQuery } from '../../answers.js';
import { type Endpoints, endpoint, pageEndpoint } from '../../endpoint.js';
import { consoleOrigin } from '../../same-origin.js';
import { requireVersion, versionOf } from '../../versions.js';
import {
  GrantsBody,
  LinkData,
  MadeData,
  NewOperatorBody,
  NewOperatorData,
  OperatorData,
  OperatorPath,
  RemoveQuery,
  SwitchBody,
} from './operators-schemas.js';

export type OperatorOptions = OptionsOf<typeof listOperators> & {
  prisma: Parameters<typeof madeBy>[0];
  clock: Clock;
  /** Where browsers reach the console; undefined: where the request comes from. */
  consoleUrl: string | undefined;
};

const change = { needs: 'owner', of: 'installation', confirmed: true } as const;

/** The operators of the installation. The rules are those of the command line. */
export const operatorEndpoints: Endpoints<OperatorOptions> = async (app, options) => {
  const { prisma, clock, consoleUrl } = options;

  app.get(
    '/operators',
    pageEndpoint({
      needs: 'viewer',
      of: 'installation',
      operationId: 'consoleListOperators',
      summary: 'List all operators, the newest first',
      querystring: pageQuery({}),
      entry: OperatorData,
    }),
    async ({ query }) => {
      const { operators, next } = await listOperators(options, cursorPage(query));
      return page(operators.map(operatorData), next);
    },
  );

  app.post(
    '/operators',
    endpoint({
      ...change,
      operationId: 'consoleCreateOperator',
      summary: 'Make an operator, with a link that signs them in once',
      body: NewOperatorBody,
      data: NewOperatorData,
      errors: [404, 409],
    }),
    async (request) => {
      const { name, grants } = request.body;
      const input = { name, grants, at: clock.now() };
      const { operator, link } = await request.change(({ prisma }) => addOperator(prisma, input, byOf(request)));
      return ok({ id: operator.id, name: operator.name, link: linkData(link, consoleOrigin(request, consoleUrl)) });
    },
  );

  app.put(
    '/operators/:operatorId/grants',
    endpoint({
      ...change,
      versioned: true,
      operationId: 'consoleSetGrants',
      summary: 'Give an operator other roles in place of those that they have',
      description: 'Links that they have not used are good no more.',
      params: OperatorPath,
      body: GrantsBody,
      data: DoneData,
      errors: [409],
    }),
    async (request) => {
      const { operatorId } = request.params;
      const { grants } = request.body;
      const expect = (now: readonly Grant[]) => requireVersion(request, grantsVersion(now));
      await request.change(({ prisma }) => setGrants(prisma, operatorId, grants, byOf(request), expect));
      return done();
    },
  );

  app.put(
    '/operators/:operatorId/active',
    endpoint({
      ...change,
      operationId: 'consoleSwitchOperator',
      summary: 'Switch an operator on or off',
      description: 'Who is switched off is signed out at once.',
      params: OperatorPath,
      body: SwitchBody,
      data: DoneData,
      errors: [409],
    }),
    async (request) => {
      const { operatorId } = request.params;
      const { isActive } = request.body;
      await request.change(({ prisma }) => switchOperator(prisma, operatorId, isActive, byOf(request)));
      return done();
    },
  );

  app.post(
    '/operators/:operatorId/link',
    endpoint({
      ...change,
      operationId: 'consoleGiveLink',
      summary: 'Give an operator a further link that signs them in once',
      description: 'Those before it are good no more. The second factor is asked for all the same.',
      params: OperatorPath,
      data: LinkData,
      errors: [409],
    }),
    async (request) => {
      const { operatorId } = request.params;
      const at = clock.now();
      const link = await request.change(({ prisma }) => giveLink(prisma, operatorId, at, byOf(request)));
      return ok(linkData(link, consoleOrigin(request, consoleUrl)));
    },
  );

  app.post(
    '/operators/:operatorId/reset',
    endpoint({
      ...change,
      operationId: 'consoleResetOperator',
      summary: 'Have an operator begin anew',
      description: 'Takes the password and the second factor away, signs them out, and gives a link.',
      params: OperatorPath,
      data: LinkData,
    }),
    async (request) => {
      const { operatorId } = request.params;
      const at = clock.now();
      const link = await request.change(({ prisma }) => resetOperator(prisma, operatorId, at, byOf(request)));
      return ok(linkData(link, consoleOrigin(request, consoleUrl)));
    },
  );

  app.get(
    '/operators/:operatorId/made',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleListMadeThings',
      summary: 'List what an operator made that still works: apps, API keys and webhooks',
      params: OperatorPath,
      data: Type.Array(MadeData),
    }),
    async ({ params: { operatorId } }) => ok(isUuid(operatorId) ? await madeBy(prisma, operatorId) : []),
  );

  app.delete(
    '/operators/:operatorId',
    endpoint({
      ...change,
      operationId: 'consoleRemoveOperator',
      summary: 'Take an operator away',
      description:
        'What they made goes on without them, unless `end` is true: then their apps and keys are revoked, and their webhooks switched off, in the same step. `/admin/v1/operators/{operatorId}/made` tells what that is.',
      params: OperatorPath,
      querystring: RemoveQuery,
      data: DoneData,
      errors: [409],
    }),
    async (request) => {
      const { operatorId } = request.params;
      await request.change(async ({ prisma }) => {
        const { told } = await removeOperator(prisma, operatorId, byOf(request));
        const ended = request.query.end ? await endMadeBy(prisma, operatorId, clock.now()) : [];
        return { result: null, told: [...[told ?? []].flat(), ...ended] };
      });
      return done();
    },
  );
};

/** Who makes a change: what they may is looked up anew in its transaction. */
export function byOf({ operator, session }: FastifyRequest): SignedInAs {
  return { operatorId: operator.id, sessionId: session.id };
}

/**
 * A link as an answer shows it.
 * @param origin where the console is
 */
export function linkData({ token, expiresAt }: NewLink, origin: string) {
  return { url: signInUrl(origin, token), expiresAt: expiresAt.toISOString() };
}

/** The version of the roles of an operator: the same roles are the same version. */
function grantsVersion(grants: readonly Grant[]): string {
  return versionOf(grants.map(({ role, accountId }) => `${accountId} ${role}`).sort());
}

function operatorData({ createdAt, lastSignedInAt, ...rest }: ListedOperator) {
  return {
    ...rest,
    version: grantsVersion(rest.grants),
    createdAt: createdAt.toISOString(),
    lastSignedInAt: iso(lastSignedInAt),
  };
}
