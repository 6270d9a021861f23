/**
 * Why a sign-in by OpenID Connect failed:
 * - `expired`: the browser has not started a sign-in, or the sign-in took too long;
 * - `denied`: the person or the issuer refused;
 * - `unreachable`: the issuer does not respond;
 * - `failed`: the issuer's answer was invalid (the log has details);
 * - `unverified`: the issuer has no verified e-mail address for the person;
 * - `unknown`: the e-mail address is not the name of an operator;
 * - `taken`: the operator has another identity, or the identity belongs to another operator;
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
