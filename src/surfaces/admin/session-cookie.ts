import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NewSession } from '../../accounts/operators/sessions.js';

/** Over plain http; a browser sends it to every port of the host. */
const PLAIN = 'heliograph';
/** Over https: only this very host can have set it, and only over https. */
const HOST_BOUND = '__Host-heliograph';

const OPTIONS = { path: '/', httpOnly: true, sameSite: 'lax' } as const;

/** The token of a request's session. Over https nobody on the way could have set the one that is read. */
export function sessionToken({ cookies, protocol }: FastifyRequest): string | undefined {
  return cookies[HOST_BOUND] ?? (protocol === 'https' ? undefined : cookies[PLAIN]);
}

/** Hands a new session to the browser, until the browser is closed or the session ends. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, { token, expiresAt }: NewSession): void {
  const secure = isHttps(request);
  reply.setCookie(secure ? HOST_BOUND : PLAIN, token, { ...OPTIONS, secure, expires: expiresAt });
}

/** Takes the session from the browser. */
export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(PLAIN, OPTIONS);
  if (isHttps(request)) reply.clearCookie(HOST_BOUND, { ...OPTIONS, secure: true });
}

/** Whether the browser speaks https. The Origin, checked by then, says so even behind a proxy that is not trusted. */
function isHttps({ protocol, headers }: FastifyRequest): boolean {
  return protocol === 'https' || (headers.origin?.startsWith('https://') ?? false);
}
