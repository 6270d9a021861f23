import { createHmac, timingSafeEqual } from 'node:crypto';

/** Values that bind the issuer's answer to the browser that started the sign-in. */
export interface SignInProof {
  /** RFC 6749 §10.12. */
  state: string;
  /** OpenID Connect Core §3.1.2.1. */
  nonce: string;
  /** RFC 7636 §4.1. */
  codeVerifier: string;
}

/** Derives the proof from the browser's token, which is stored only as a hash, so that only the browser can sign in. */
export function deriveProof(token: string): SignInProof {
  const derive = (purpose: string) => createHmac('sha256', token).update(purpose).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), codeVerifier: derive('code verifier') };
}

export function hasState(answer: URLSearchParams, { state }: SignInProof): boolean {
  const received = Buffer.from(answer.get('state') ?? '');
  const expected = Buffer.from(state);
  return received.length === expected.length && timingSafeEqual(received, expected);
}
