import type { FastifyReply, FastifyRequest } from 'fastify';
import { listSeenAccounts, type SeenOptions } from '../../../accounts/operators/accounts-seen.js';
import type { SignInResult } from '../../../accounts/operators/entering.js';
import { readOwnSecurity } from '../../../accounts/operators/list.js';
import { roleFor } from '../../../accounts/operators/roles.js';
import type { Sessions } from '../../../accounts/operators/sessions.js';
import { type SignInOptions, signInByLink, signInByPassword } from '../../../accounts/operators/sign-in.js';
import type { OptionsOf } from '../../http/options-of.js';
import { DoneData, done, ok } from '../answers.js';
import { type Endpoints, endpoint } from '../endpoint.js';
import { clearSessionCookie, setSessionCookie } from '../session-cookie.js';
import { SessionData, SignInBody, SignInData, SignInLinkBody } from './session-schemas.js';

const MAX_ACCOUNTS = 200;

export type SessionOptions = SeenOptions &
  SignInOptions &
  OptionsOf<typeof readOwnSecurity> & { sessions: Pick<Sessions, 'endOf'> };

/** Signing in and out, and who is signed in. */
export const sessionEndpoints: Endpoints<SessionOptions> = async (app, options) => {
  /** Answers a sign-in. */
  async function welcome(request: FastifyRequest, reply: FastifyReply, result: SignInResult) {
    if (result === 'code needed') return ok({ state: 'codeNeeded' as const });
    setSessionCookie(request, reply, result.session);
    return ok({ state: 'signedIn' as const });
  }

  app.post(
    '/session',
    endpoint({
      needs: 'nothing',
      of: 'self',
      operationId: 'consoleSignIn',
      summary: 'Sign in by name and password',
      description: 'The answer sets the cookie of the session.',
      body: SignInBody,
      data: SignInData,
      errors: [401, 429],
    }),
    async (request, reply) => welcome(request, reply, await signInByPassword(options, request.body, placeOf(request))),
  );

  app.post(
    '/session/link',
    endpoint({
      needs: 'nothing',
      of: 'self',
      operationId: 'consoleSignInByLink',
      summary: 'Sign in by a link that works once',
      description: 'The answer sets the cookie of the session.',
      body: SignInLinkBody,
      data: SignInData,
      errors: [401, 429],
    }),
    async (request, reply) => welcome(request, reply, await signInByLink(options, request.body, placeOf(request))),
  );

  app.get(
    '/session',
    endpoint({
      needs: 'session',
      of: 'self',
      operationId: 'consoleGetSession',
      summary: 'Tell who is signed in, and what they may do',
      data: SessionData,
    }),
    async ({ session, operator: { id, name, grants } }) => {
      const { accounts, next } = await listSeenAccounts(options, grants, { limit: MAX_ACCOUNTS, before: null });
      return ok({
        id: session.id,
        createdAt: session.createdAt.toISOString(),
        expiresAt: session.expiresAt.toISOString(),
        operator: { id, name, ...(await readOwnSecurity(options, id)) },
        grants,
        accounts: accounts.map((each) => ({
          id: each.id,
          name: each.name,
          role: roleFor(grants, each.id) ?? ('viewer' as const),
        })),
        moreAccounts: next !== null,
      });
    },
  );

  app.delete(
    '/session',
    endpoint({
      needs: 'session',
      of: 'self',
      operationId: 'consoleSignOut',
      summary: 'Sign out',
      data: DoneData,
    }),
    async (request, reply) => {
      const { id } = request.session;
      await request.change(async ({ prisma }) => {
        const isEnded = await options.sessions.endOf(prisma, request.operator.id, id);
        return { result: null, told: isEnded ? { action: 'session.end', subject: id } : null };
      });
      clearSessionCookie(request, reply);
      return done();
    },
  );
};

/** Where a request comes from, as its session remembers it. */
export function placeOf({ ip, headers }: FastifyRequest) {
  return { address: ip, userAgent: headers['user-agent'] ?? null };
}
