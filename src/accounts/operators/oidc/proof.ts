import { createHmac, timingSafeEqual } from 'node:crypto';

/** What binds an answer of the issuer to the browser that asked. */
export interface Proof {
  /** Comes back in the address (RFC 6749 §10.12). */
  state: string;
  /** Comes back in the signed token (OpenID Connect Core §3.1.2.1). */
  nonce: string;
  /** Shown when the code is exchanged (RFC 7636 §4.1). */
  codeVerifier: string;
}

/**
 * Derived from the random token in the browser's cookie, of which only the hash is stored: nothing that is stored, or that
 * the issuer sees, lets anybody else finish the sign-in.
 */
export function proofOf(token: string): Proof {
  const derive = (purpose: string) => createHmac('sha256', token).update(purpose).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), codeVerifier: derive('code verifier') };
}

/** Whether an answer has the state that was asked with. */
export function hasState(answer: URLSearchParams, { state }: Proof): boolean {
  const given = Buffer.from(answer.get('state') ?? '');
  const asked = Buffer.from(state);
  return given.length === asked.length && timingSafeEqual(given, asked);
}
