import type { FastifyReply, FastifyRequest } from 'fastify';
import { readOwnSecurity } from '../../../accounts/operators/list.js';
import { findHighestRole } from '../../../accounts/operators/roles/roles.js';
import {
  listVisibleAccounts,
  type VisibleAccountsOptions,
} from '../../../accounts/operators/roles/visible-accounts.js';
import type { BrowserClient, Sessions } from '../../../accounts/operators/sessions/sessions.js';
import type { FailedSignIns } from '../../../accounts/operators/sign-in/failed-sign-ins.js';
import { type SignInOptions, signInByLink, signInByPassword } from '../../../accounts/operators/sign-in/sign-in.js';
import { findLinkOperator } from '../../../accounts/operators/sign-in/sign-in-links.js';
import type { SignInResult } from '../../../accounts/operators/sign-in/start-session.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { done, ok } from '../answers.js';
import { SESSION } from '../contract/session.js';
import { type Endpoints, registerRoutes } from '../endpoint.js';
import { clearSessionCookie, sessionToken, setSessionCookie } from '../session-cookie.js';

const MAX_ACCOUNTS = 200;
/** Cookies are cleared individually, because other programs on the host may have set some. */
const CLEAR_SITE_DATA = '"cache", "storage"';

export type SessionOptions = VisibleAccountsOptions &
  SignInOptions &
  UseCaseOptions<typeof readOwnSecurity> & {
    sessions: Pick<Sessions, 'end' | 'find'>;
    failedSignIns: Pick<FailedSignIns, 'reportFailures'>;
  };

export const sessionEndpoints: Endpoints<SessionOptions> = async (app, options) => {
  const route = registerRoutes(app, SESSION);
  async function answerSignIn(request: FastifyRequest, reply: FastifyReply, result: SignInResult) {
    if (result === 'code needed') return ok({ state: 'codeNeeded' as const });
    setSessionCookie(request, reply, result.session);
    return ok({ state: 'signedIn' as const });
  }

  /** Returns the names of this browser's operator and of the link's operator, or null unless both exist and differ. */
  async function findOtherOperator(request: FastifyRequest, token: string) {
    const current = (await options.sessions.find(sessionToken(request), { isUse: false }))?.operator;
    const operator = current && (await findLinkOperator(options.prisma, token));
    return operator && operator.id !== current.id ? { current: current.name, ofLink: operator.name } : null;
  }

  route('POST /session', async (request, reply) => {
    const attempt = { way: 'password', address: request.ip, name: request.body.name } as const;
    const result = await options.failedSignIns.reportFailures(attempt, () =>
      signInByPassword(options, request.body, readBrowser(request)),
    );
    return answerSignIn(request, reply, result);
  });

  route('POST /session/link', async (request, reply) => {
    const { token, code, instead } = request.body;
    const others = await findOtherOperator(request, token);
    if (others && !instead) return ok({ state: 'otherSignedIn' as const, others });
    const attempt = { way: 'link', address: request.ip, token } as const;
    const result = await options.failedSignIns.reportFailures(attempt, () =>
      signInByLink(options, { token, code }, readBrowser(request)),
    );
    return answerSignIn(request, reply, result);
  });

  route('GET /session', async ({ session, operator: { id, name, grants } }) => {
    const { accounts, next } = await listVisibleAccounts(options, grants, { limit: MAX_ACCOUNTS, before: null });
    return ok({
      id: session.id,
      way: session.way,
      createdAt: session.createdAt.toISOString(),
      expiresAt: session.expiresAt.toISOString(),
      operator: { id, name, ...(await readOwnSecurity(options, id)) },
      grants,
      accounts: accounts.map((account) => ({
        id: account.id,
        name: account.name,
        role: findHighestRole(grants, account.id) ?? ('viewer' as const),
      })),
      moreAccounts: next !== null,
    });
  });

  route('DELETE /session', async (request, reply) => {
    const { id } = request.session;
    await request.change(async ({ prisma }) => {
      const isEnded = await options.sessions.end(prisma, request.operator.id, id);
      return { result: null, audit: isEnded ? { action: 'session.end', subject: id } : null };
    });
    clearSessionCookie(request, reply);
    reply.header('clear-site-data', CLEAR_SITE_DATA);
    return done();
  });
};

export function readBrowser(request: FastifyRequest): BrowserClient {
  const { ip, headers } = request;
  return { address: ip, userAgent: headers['user-agent'] ?? null, token: sessionToken(request) };
}
