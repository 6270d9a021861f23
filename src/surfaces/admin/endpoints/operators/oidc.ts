import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { HeldOperator } from '../../../../accounts/operators/held.js';
import { unlink } from '../../../../accounts/operators/oidc/links.js';
import { FRONT } from '../../../../accounts/operators/oidc/return-to.js';
import {
  beginOidcSignIn,
  finishOidcSignIn,
  OIDC_SIGN_IN_MS,
  type OidcSignInOptions,
} from '../../../../accounts/operators/oidc/sign-in.js';
import type { Sessions } from '../../../../accounts/operators/sessions/sessions.js';
import type { FailedSignIns } from '../../../../accounts/operators/sign-in/failed-sign-ins.js';
import { AppError } from '../../../../platform/errors/app-error.js';
import { done, ok } from '../../answers.js';
import { OIDC } from '../../contract/operators/oidc.js';
import { type Endpoints, routesOf } from '../../endpoint.js';
import { browserOrigin, consoleOrigin } from '../../same-origin.js';
import { clearOidcCookie, oidcToken, sessionToken, setOidcCookie, setSessionCookie } from '../../session-cookie.js';
import { placeOf } from '../session.js';
import { byOf } from './operators.js';

export type OidcOptions = OidcSignInOptions & {
  sessions: Pick<Sessions, 'find'>;
  failedSignIns: Pick<FailedSignIns, 'tell'>;
  /** Where browsers reach the console; undefined: where the request comes from. */
  consoleUrl: string | undefined;
  log: Logger;
};

const SIGN_IN = '/console/sign-in';
const ME = '/console/me';

/** Signing in by OpenID Connect. */
export const oidcEndpoints: Endpoints<OidcOptions> = async (app, options) => {
  const route = routesOf(app, OIDC);
  const { sessions, oidc, consoleUrl } = options;

  /** Begins, and binds what was begun to the browser. */
  async function begin(request: FastifyRequest, reply: FastifyReply, input: { to?: string; operatorId?: string }) {
    const origin = consoleOrigin(request, consoleUrl);
    // The cookie would be another host's than the one that the issuer leads back to.
    if (browserOrigin(request) !== origin) {
      throw new AppError('CONFLICT', `This works at ${origin}${SIGN_IN} only: open the console there.`);
    }
    const begun = await beginOidcSignIn(options, { ...input, origin, address: request.ip });
    setOidcCookie(reply, begun.token, origin, OIDC_SIGN_IN_MS);
    return ok({ url: begun.url });
  }

  route('GET /session/oidc', async () => ok({ label: oidc?.label ?? null }));

  route('POST /session/oidc', (request, reply) => begin(request, reply, { to: request.body.to }));

  route('POST /session/oidc/link', (request, reply) =>
    begin(request, reply, { to: ME, operatorId: request.operator.id }),
  );

  route('DELETE /session/oidc', async (request) => {
    await request.change(async ({ prisma }) => unlink(await HeldOperator.acting(prisma, byOf(request))));
    return done();
  });

  /** A browser comes here from the issuer, and is led on to a page whatever happens. */
  app.get(
    '/session/oidc/callback',
    {
      config: { needs: 'nothing', of: 'self' },
      schema: {
        operationId: 'consoleFinishOidc',
        summary: 'Finish a sign-in by OpenID Connect',
        description:
          'The issuer leads the browser here, with `code` and `state` or `error`. Whatever comes of it, the answer leads on to a page of the console; with a session if somebody has signed in.',
        tags: ['Console'],
        response: { 303: Type.Null({ description: 'On to a page; `problem` in its address says what went wrong.' }) },
      },
      errorHandler: (err, request, reply) => {
        // An address that nobody's issuer makes, such as state=%ff, is no fault of the server.
        if (err instanceof AppError && err.status < 500) return reply.redirect(problemPage(null, 'expired'), 303);
        options.log.error({ err, requestId: request.id }, 'A sign-in by OpenID Connect could not be finished');
        return reply.redirect(problemPage(null, 'server'), 303);
      },
    },
    async (request, reply) => {
      const { search } = new URL(request.url, 'http://console.invalid');
      const signedIn = await sessions.find(sessionToken(request), { isUse: true });
      const finished = await finishOidcSignIn(
        options,
        { token: oidcToken(request), answer: new URLSearchParams(search), signedIn },
        placeOf(request),
      );
      const { begun } = finished;
      if (begun) clearOidcCookie(reply, begun.origin);
      if ('failure' in finished) {
        options.failedSignIns.tell('oidc', { way: 'oidc', address: request.ip });
        return reply.redirect(problemPage(begun, finished.failure.problem), 303);
      }
      if (finished.session) setSessionCookie(request, reply, finished.session, begun?.origin.startsWith('https:'));
      return reply.redirect(begun?.returnTo ?? FRONT, 303);
    },
  );
};

/** The page that tells what went wrong, and from which one can try again. */
function problemPage(begun: { isLinking: boolean; returnTo: string } | null, problem: string): string {
  if (begun?.isLinking) return `${ME}?problem=${problem}`;
  const query = new URLSearchParams({ problem });
  if (begun && begun.returnTo !== FRONT) query.set('to', begun.returnTo);
  return `${SIGN_IN}?${query}`;
}
