import { addToAccount, setAccountRole } from '../../../../accounts/operators/changes/grants.js';
import { listOperators } from '../../../../accounts/operators/list.js';
import type { Clock } from '../../../../platform/clock.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { iso } from '../../../http/schemas/values.js';
import { cursorPage, DoneData, done, ok, page, pageQuery } from '../../answers.js';
import { type Endpoints, endpoint, pageEndpoint } from '../../endpoint.js';
import { consoleOrigin } from '../../same-origin.js';
import { accountOf } from '../../session-auth.js';
import { AccountPath } from '../accounts-schemas.js';
import { byOf, linkData } from './operators.js';
import { MemberData, MemberPath, NewMemberBody, NewMemberData, RoleBody } from './operators-schemas.js';

export type MemberOptions = OptionsOf<typeof listOperators> & {
  clock: Clock;
  /** Where browsers reach the console; undefined: where the request comes from. */
  consoleUrl: string | undefined;
};

const change = { needs: 'owner', of: 'account', confirmed: true } as const;

/** The operators of an account: who has a role for it. Those of the whole installation are not among them. */
export const memberEndpoints: Endpoints<MemberOptions> = async (app, options) => {
  const { clock, consoleUrl } = options;

  app.get(
    '/accounts/:accountId/operators',
    pageEndpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleListMembers',
      summary: 'List the operators who have a role for the account, the newest first',
      params: AccountPath,
      querystring: pageQuery({}),
      entry: MemberData,
    }),
    async (request) => {
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
    },
  );

  app.post(
    '/accounts/:accountId/operators',
    endpoint({
      ...change,
      operationId: 'consoleAddMember',
      summary: 'Give somebody a role for the account',
      description:
        'Whom nobody knows by this name yet is made an operator, with a link that signs them in once. An operator who is there already, without a role for the account, gets one by an owner of the installation alone; 409 for everybody else.',
      params: AccountPath,
      body: NewMemberBody,
      data: NewMemberData,
      errors: [409],
    }),
    async (request) => {
      const { name, role } = request.body;
      const input = { accountId: accountOf(request).id, name, role, at: clock.now() };
      const { operator, link } = await request.change(({ prisma }) => addToAccount(prisma, input, byOf(request)));
      return ok({
        id: operator.id,
        name: operator.name,
        link: link && linkData(link, consoleOrigin(request, consoleUrl)),
      });
    },
  );

  app.put(
    '/accounts/:accountId/operators/:operatorId',
    endpoint({
      ...change,
      operationId: 'consoleSetMemberRole',
      summary: 'Give an operator another role for the account',
      description: 'Links that they have not used are good no more.',
      params: MemberPath,
      body: RoleBody,
      data: DoneData,
    }),
    async (request) => {
      const { operatorId } = request.params;
      const input = { accountId: accountOf(request).id, operatorId, role: request.body.role };
      await request.change(({ prisma }) => setAccountRole(prisma, input, byOf(request)));
      return done();
    },
  );

  app.delete(
    '/accounts/:accountId/operators/:operatorId',
    endpoint({
      ...change,
      operationId: 'consoleRemoveMember',
      summary: 'Take the role for the account from an operator',
      params: MemberPath,
      data: DoneData,
    }),
    async (request) => {
      const input = { accountId: accountOf(request).id, operatorId: request.params.operatorId, role: null };
      await request.change(({ prisma }) => setAccountRole(prisma, input, byOf(request)));
      return done();
    },
  );
};
