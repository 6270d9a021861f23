import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NewSession } from '../../accounts/operators/sessions/sessions.js';

/** Cookie for http, which browsers send to every port of the host. */
const HTTP_COOKIE = 'heliograph';
/** Cookie for https, whose prefix guarantees that only this host can set it. */
const HTTPS_COOKIE = '__Host-heliograph';

const OPTIONS = { path: '/', httpOnly: true, sameSite: 'lax' } as const;

/** Over https, only the host-bound cookie is accepted. */
export function sessionToken({ cookies, protocol }: FastifyRequest): string | undefined {
  return cookies[HTTPS_COOKIE] ?? (protocol === 'https' ? undefined : cookies[HTTP_COOKIE]);
}

/** @param secure whether the browser uses https, if known */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, expiresAt }: NewSession,
  secure = isHttps(request),
): void {
  reply.setCookie(secure ? HTTPS_COOKIE : HTTP_COOKIE, token, { ...OPTIONS, secure, expires: expiresAt });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(HTTP_COOKIE, OPTIONS);
  if (isHttps(request)) reply.clearCookie(HTTPS_COOKIE, { ...OPTIONS, secure: true });
}

const OIDC_HTTP_COOKIE = 'heliograph-oidc';
const OIDC_HTTPS_COOKIE = '__Host-heliograph-oidc';

export function oidcToken({ cookies, protocol }: FastifyRequest): string | undefined {
  return cookies[OIDC_HTTPS_COOKIE] ?? (protocol === 'https' ? undefined : cookies[OIDC_HTTP_COOKIE]);
}

/** `SameSite=Lax` lets the browser send the cookie when the issuer redirects back to the console. */
export function setOidcCookie(reply: FastifyReply, token: string, origin: string, milliseconds: number): void {
  const secure = origin.startsWith('https:');
  const maxAge = Math.floor(milliseconds / 1000);
  reply.setCookie(secure ? OIDC_HTTPS_COOKIE : OIDC_HTTP_COOKIE, token, { ...OPTIONS, secure, maxAge });
}

export function clearOidcCookie(reply: FastifyReply, origin: string): void {
  const secure = origin.startsWith('https:');
  reply.clearCookie(secure ? OIDC_HTTPS_COOKIE : OIDC_HTTP_COOKIE, { ...OPTIONS, secure });
}

/** Also reads the `Origin`, because behind an untrusted proxy only the `Origin` shows that the browser uses https. */
function isHttps({ protocol, headers }: FastifyRequest): boolean {
  return protocol === 'https' || (headers.origin?.startsWith('https://') ?? false);
}
