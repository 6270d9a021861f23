import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NewSession } from '../../accounts/operators/sessions/sessions.js';

/** Over plain http; a browser sends it to every port of the host. */
const PLAIN = 'heliograph';
/** Over https: only this very host can have set it, and only over https. */
const HOST_BOUND = '__Host-heliograph';

const OPTIONS = { path: '/', httpOnly: true, sameSite: 'lax' } as const;

/** The token of a request's session. Over https nobody on the way could have set the one that is read. */
export function sessionToken({ cookies, protocol }: FastifyRequest): string | undefined {
  return cookies[HOST_BOUND] ?? (protocol === 'https' ? undefined : cookies[PLAIN]);
}

/**
 * Hands a new session to the browser, until the browser is closed or the session ends.
 * @param secure whether the browser speaks https, where that is known already
 */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, expiresAt }: NewSession,
  secure = isHttps(request),
): void {
  reply.setCookie(secure ? HOST_BOUND : PLAIN, token, { ...OPTIONS, secure, expires: expiresAt });
}

/** Takes the session from the browser. */
export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(PLAIN, OPTIONS);
  if (isHttps(request)) reply.clearCookie(HOST_BOUND, { ...OPTIONS, secure: true });
}

const OIDC_PLAIN = 'heliograph-oidc';
const OIDC_HOST_BOUND = '__Host-heliograph-oidc';

/** The token of the sign-in by OpenID Connect that this browser has begun. */
export function oidcToken({ cookies, protocol }: FastifyRequest): string | undefined {
  return cookies[OIDC_HOST_BOUND] ?? (protocol === 'https' ? undefined : cookies[OIDC_PLAIN]);
}

/**
 * Hands the token of a sign-in that was begun to the browser. `SameSite=Lax` lets it come back from the issuer, which
 * leads the whole page here.
 * @param origin where the console is, to the browser
 */
export function setOidcCookie(reply: FastifyReply, token: string, origin: string, milliseconds: number): void {
  const secure = origin.startsWith('https:');
  const maxAge = Math.floor(milliseconds / 1000);
  reply.setCookie(secure ? OIDC_HOST_BOUND : OIDC_PLAIN, token, { ...OPTIONS, secure, maxAge });
}

/** Takes that token from the browser. */
export function clearOidcCookie(reply: FastifyReply, origin: string): void {
  const secure = origin.startsWith('https:');
  reply.clearCookie(secure ? OIDC_HOST_BOUND : OIDC_PLAIN, { ...OPTIONS, secure });
}

/** Whether the browser speaks https. The Origin, checked by then, says so even behind a proxy that is not trusted. */
function isHttps({ protocol, headers }: FastifyRequest): boolean {
  return protocol === 'https' || (headers.origin?.startsWith('https://') ?? false);
}
