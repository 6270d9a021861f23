import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LockedOperator } from '../../../../accounts/operators/locked-operator.js';
import { unlinkIdentity } from '../../../../accounts/operators/oidc/identity-links.js';
import { CONSOLE_START } from '../../../../accounts/operators/oidc/return-to.js';
import {
  finishOidcSignIn,
  OIDC_SIGN_IN_MS,
  type OidcSignInOptions,
  startOidcSignIn,
} from '../../../../accounts/operators/oidc/sign-in.js';
import type { Sessions } from '../../../../accounts/operators/sessions/sessions.js';
import type { FailedSignIns } from '../../../../accounts/operators/sign-in/failed-sign-ins.js';
import { AppError } from '../../../../platform/errors/app-error.js';
import { done, ok } from '../../answers.js';
import { OIDC } from '../../contract/operators/oidc.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { browserOrigin, consoleOrigin } from '../../same-origin.js';
import { clearOidcCookie, oidcToken, sessionToken, setOidcCookie, setSessionCookie } from '../../session-cookie.js';
import { readBrowser } from '../session.js';
import { toSessionRef } from './operators.js';

export type OidcOptions = OidcSignInOptions & {
  sessions: Pick<Sessions, 'find'>;
  failedSignIns: Pick<FailedSignIns, 'report'>;
  /** URL of the console, by default derived from the request. */
  consoleUrl: string | undefined;
  log: Logger;
};

const SIGN_IN = '/console/sign-in';
const ME = '/console/me';

export const oidcEndpoints: Endpoints<OidcOptions> = async (app, options) => {
  const route = registerRoutes(app, OIDC);
  const { sessions, oidc, consoleUrl } = options;

  async function begin(request: FastifyRequest, reply: FastifyReply, input: { to?: string; operatorId?: string }) {
    const origin = consoleOrigin(request, consoleUrl);
    // The browser must be at the console's URL, because the issuer redirects there and the browser must then send the cookie.
    if (browserOrigin(request) !== origin) {
      throw new AppError(
        'CONFLICT',
        `Signing in by OpenID Connect works only at ${origin}${SIGN_IN}: open the console there.`,
      );
    }
    const oidcSignIn = await startOidcSignIn(options, { ...input, origin, address: request.ip });
    setOidcCookie(reply, oidcSignIn.token, origin, OIDC_SIGN_IN_MS);
    return ok({ url: oidcSignIn.url });
  }

  route('GET /session/oidc', async () => ok({ label: oidc?.label ?? null }));

  route('POST /session/oidc', (request, reply) => begin(request, reply, { to: request.body.to }));

  route('POST /session/oidc/link', (request, reply) =>
    begin(request, reply, { to: ME, operatorId: request.operator.id }),
  );

  route('DELETE /session/oidc', async (request) => {
    await request.change(async ({ prisma }) =>
      unlinkIdentity(await LockedOperator.lockSignedIn(prisma, toSessionRef(request))),
    );
    return done();
  });

  app.get(
    '/session/oidc/callback',
    {
      config: { needs: 'nothing', roleScope: 'self' },
      schema: {
        operationId: 'consoleFinishOidc',
        summary: 'Finish a sign-in by OpenID Connect',
        description:
          'The issuer redirects the browser here, with `code` and `state`, or `error`. The response always redirects to a page of the console, with a session cookie if the sign-in succeeded.',
        tags: ['Console'],
        response: { 303: Type.Null({ description: 'Redirects to a page; `problem` in its URL describes the error.' }) },
      },
      errorHandler: (err, request, reply) => {
        // An invalid URL, such as one with state=%ff, is not a server error.
        if (err instanceof AppError && err.status < 500) return reply.redirect(buildProblemUrl(null, 'expired'), 303);
        options.log.error({ err, requestId: request.id }, 'A sign-in by OpenID Connect could not be finished');
        return reply.redirect(buildProblemUrl(null, 'server'), 303);
      },
    },
    async (request, reply) => {
      const { search } = new URL(request.url, 'http://console.invalid');
      const signedIn = await sessions.find(sessionToken(request), { isUse: true });
      const finished = await finishOidcSignIn(
        options,
        { token: oidcToken(request), answer: new URLSearchParams(search), signedIn },
        readBrowser(request),
      );
      const { started: signIn } = finished;
      if (signIn) clearOidcCookie(reply, signIn.origin);
      if ('failure' in finished) {
        options.failedSignIns.report('oidc', { way: 'oidc', address: request.ip });
        return reply.redirect(buildProblemUrl(signIn, finished.failure.problem), 303);
      }
      if (finished.session) setSessionCookie(request, reply, finished.session, signIn?.origin.startsWith('https:'));
      return reply.redirect(signIn?.returnTo ?? CONSOLE_START, 303);
    },
  );
};

function buildProblemUrl(signIn: { isLinking: boolean; returnTo: string } | null, problem: string): string {
  if (signIn?.isLinking) return `${ME}?problem=${problem}`;
  const query = new URLSearchParams({ problem });
  if (signIn && signIn.returnTo !== CONSOLE_START) query.set('to', signIn.returnTo);
  return `${SIGN_IN}?${query}`;
}
