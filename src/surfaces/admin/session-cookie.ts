import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NewSession } from '../../accounts/operators/sessions/sessions.js';

/** Used over http. Browsers send it to every port of the host. */
const PLAIN = 'heliograph';
/** Used over https. Only this host can have set it. */
const HOST_BOUND = '__Host-heliograph';

const OPTIONS = { path: '/', httpOnly: true, sameSite: 'lax' } as const;

/** Over https, only the host-bound cookie counts. */
export function sessionToken({ cookies, protocol }: FastifyRequest): string | undefined {
  return cookies[HOST_BOUND] ?? (protocol === 'https' ? undefined : cookies[PLAIN]);
}

/** @param secure whether the browser uses https, if known */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, expiresAt }: NewSession,
  secure = isHttps(request),
): void {
  reply.setCookie(secure ? HOST_BOUND : PLAIN, token, { ...OPTIONS, secure, expires: expiresAt });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(PLAIN, OPTIONS);
  if (isHttps(request)) reply.clearCookie(HOST_BOUND, { ...OPTIONS, secure: true });
}

const OIDC_PLAIN = 'heliograph-oidc';
const OIDC_HOST_BOUND = '__Host-heliograph-oidc';

export function oidcToken({ cookies, protocol }: FastifyRequest): string | undefined {
  return cookies[OIDC_HOST_BOUND] ?? (protocol === 'https' ? undefined : cookies[OIDC_PLAIN]);
}

/** `SameSite=Lax` lets the browser send the cookie when the issuer redirects back. */
export function setOidcCookie(reply: FastifyReply, token: string, origin: string, milliseconds: number): void {
  const secure = origin.startsWith('https:');
  const maxAge = Math.floor(milliseconds / 1000);
  reply.setCookie(secure ? OIDC_HOST_BOUND : OIDC_PLAIN, token, { ...OPTIONS, secure, maxAge });
}

export function clearOidcCookie(reply: FastifyReply, origin: string): void {
  const secure = origin.startsWith('https:');
  reply.clearCookie(secure ? OIDC_HOST_BOUND : OIDC_PLAIN, { ...OPTIONS, secure });
}

/** The Origin, already checked, shows https even behind an untrusted proxy. */
function isHttps({ protocol, headers }: FastifyRequest): boolean {
  return protocol === 'https' || (headers.origin?.startsWith('https://') ?? false);
}
