/**
 * Why a sign-in by OpenID Connect failed:
 * - `expired`: this browser started no sign-in, or it took too long
 * - `denied`: the person or the issuer refused
 * - `unreachable`: the issuer does not respond
 * - `failed`: the issuer's answer was invalid; the log has details
 * - `unverified`: the issuer has no verified e-mail address for the person
 * - `unknown`: no operator has the e-mail address as name
 * - `taken`: the operator or the identity already has another link
 * - `off`: the operator is switched off
 */
export type OidcProblem = 'expired' | 'denied' | 'unreachable' | 'failed' | 'unverified' | 'unknown' | 'taken' | 'off';

export class OidcFailure extends Error {
  readonly problem: OidcProblem;

  constructor(problem: OidcProblem, options?: ErrorOptions) {
    super(`the sign-in by OpenID Connect failed: ${problem}`, options);
    this.name = 'OidcFailure';
    this.problem = problem;
  }
}
