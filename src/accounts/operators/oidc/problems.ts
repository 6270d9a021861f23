/**
 * Why a sign-in by OpenID Connect came to nothing. The page that the browser comes back to has words for each, by the code
 * in its address:
 * - `expired`: no sign-in that this browser began waits for this answer; it took too long, or was answered before
 * - `denied`: the person, or the issuer for them, said no
 * - `unreachable`: the issuer does not answer
 * - `failed`: what the issuer said was not what it must be; the log says more
 * - `unverified`: the issuer vouches for no e-mail address of the person
 * - `unknown`: no operator has the person's e-mail address for a name
 * - `taken`: the operator signs in as somebody else of the issuer, or the person is another operator already
 * - `off`: the operator is switched off
 */
export type OidcProblem = 'expired' | 'denied' | 'unreachable' | 'failed' | 'unverified' | 'unknown' | 'taken' | 'off';

/** A sign-in by OpenID Connect that came to nothing. */
export class OidcFailure extends Error {
  readonly problem: OidcProblem;

  constructor(problem: OidcProblem, options?: ErrorOptions) {
    super(`the sign-in by OpenID Connect came to nothing: ${problem}`, options);
    this.name = 'OidcFailure';
    this.problem = problem;
  }
}
