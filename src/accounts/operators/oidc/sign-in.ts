import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { hashKey } from '../../keys.js';
import { type AttemptOptions, countFailure, forgive } from '../attempts.js';
import type { NewSession, Place } from '../sessions.js';
import { beginSession, type SignInOptions } from '../sign-in.js';
import { isToken, newToken } from '../tokens.js';
import { isLinked, link, type OidcLinkOptions, operatorOf } from './links.js';
import { OidcFailure } from './problems.js';
import { hasState, type Proof, proofOf } from './proof.js';
import type { OidcProvider } from './provider.js';
import { pageOfConsole } from './return-to.js';

/** How long somebody may take at the issuer, in milliseconds. */
export const OIDC_SIGN_IN_MS = 10 * 60_000;
/** Where the issuer sends the browser back to. */
export const OIDC_CALLBACK_PATH = '/admin/v1/session/oidc/callback';

export interface OidcSignInOptions extends AttemptOptions {
  prisma: AttemptOptions['prisma'] &
    OidcLinkOptions['prisma'] &
    SignInOptions['prisma'] &
    Pick<PrismaClient, 'oidcSignIn'>;
  sessions: SignInOptions['sessions'];
  /** Null where none is configured. */
  oidc: Pick<OidcProvider, 'authorizationUrl' | 'identify' | 'label'> | null;
}

/** Begun, and to be finished by the browser that has the token. */
export interface BegunOidcSignIn {
  /** For the browser's cookie. */
  token: string;
  /** Where the browser goes now. */
  url: string;
}

/**
 * Begins a sign-in by OpenID Connect. It counts as failed until it is finished.
 * @param input.origin where the console is, to the browser
 * @param input.operatorId who is signed in and wants to sign in by it from now on
 * @throws {AppError} NOT_FOUND where none is configured, CONFLICT where the operator does so already, RATE_LIMITED after
 * too many failures, UNAVAILABLE where the issuer does not answer
 */
export async function beginOidcSignIn(
  options: OidcSignInOptions,
  input: { origin: string; to?: string; operatorId?: string; address: string },
): Promise<BegunOidcSignIn> {
  const { prisma, clock, oidc } = options;
  const { origin, to, operatorId = null, address } = input;
  if (!oidc) throw new AppError('NOT_FOUND', 'Sign-in by OpenID Connect is not configured.');
  if (operatorId !== null) {
    const operator = await prisma.operator.findUniqueOrThrow({ where: { id: operatorId } });
    if (isLinked(operator))
      throw new AppError('CONFLICT', 'You sign in by OpenID Connect already; disconnect it first.');
  }
  await countFailure(options, { address });
  const token = newToken();
  const url = await oidc.authorizationUrl(redirectUri(origin), proofOf(token)).catch((error) => {
    throw error instanceof OidcFailure ? withoutIssuer(error, oidc.label) : error;
  });
  const at = clock.now();
  const expiresAt = new Date(at.getTime() + OIDC_SIGN_IN_MS);
  const returnTo = pageOfConsole(to);
  await prisma.oidcSignIn.create({
    data: { id: newId(), tokenHash: hashKey(token), operatorId, origin, returnTo, createdAt: at, expiresAt },
  });
  return { token, url };
}

/** What a sign-in came to. */
export type FinishedOidcSignIn = {
  /** The one that was begun, which is used up; null: there is none, and a cookie may wait for another answer. */
  begun: { origin: string; isLinking: boolean; returnTo: string } | null;
} & ({ session: NewSession | null } | { failure: OidcFailure });

/**
 * Finishes a sign-in with what the issuer has sent the browser back with: once, and for the browser that began it.
 * @param input.token of the browser's cookie
 * @param input.answer what stood in the address
 * @param input.operatorId who is signed in in the browser
 * @returns the session of who has signed in; none for an operator who has one and signs in by it from now on
 */
export async function finishOidcSignIn(
  options: OidcSignInOptions,
  input: { token: string | undefined; answer: URLSearchParams; operatorId: string | null },
  place: Place,
): Promise<FinishedOidcSignIn> {
  const { token, answer, operatorId } = input;
  const proof = isToken(token) ? proofOf(token) : null;
  // An answer that was not asked for uses nothing up: anybody can have a browser ask for this address.
  const row = isToken(token) && proof && hasState(answer, proof) ? await take(options, token) : null;
  if (!row || !proof) return { begun: null, failure: new OidcFailure('expired') };
  const begun = { origin: row.origin, isLinking: row.operatorId !== null, returnTo: row.returnTo };
  try {
    if (row.operatorId !== null && row.operatorId !== operatorId) throw new OidcFailure('expired');
    const session = await enter(options, { begun, answer, proof, operatorId }, place);
    await forgive(options, { address: place.address });
    return { begun, session };
  } catch (error) {
    if (error instanceof OidcFailure) return { begun, failure: error };
    throw error;
  }
}

interface Answered {
  begun: { origin: string; isLinking: boolean };
  answer: URLSearchParams;
  proof: Proof;
  operatorId: string | null;
}

async function enter(
  options: OidcSignInOptions,
  { begun, answer, proof, operatorId }: Answered,
  place: Place,
): Promise<NewSession | null> {
  const { prisma, oidc } = options;
  if (!oidc) throw new OidcFailure('expired');
  const address = new URL(redirectUri(begun.origin));
  address.search = answer.toString();
  const identity = await oidc.identify(address, proof);
  if (begun.isLinking) {
    const operator = await prisma.operator.findUniqueOrThrow({ where: { id: operatorId ?? '' } });
    await link(options, { operator, identity, address: place.address, by: 'operator' });
    return null;
  }
  const operator = await operatorOf(options, identity, place.address);
  return (await beginSession(options, operator, { way: 'oidc', place })).session;
}

/** The sign-in that a browser has begun, which is gone then. Of two answers at once, one finds it. */
async function take({ prisma, clock }: OidcSignInOptions, token: string) {
  const where = { tokenHash: hashKey(token), expiresAt: { gt: clock.now() } };
  const row = await prisma.oidcSignIn.findFirst({ where });
  if (!row) return null;
  const { count } = await prisma.oidcSignIn.deleteMany({ where: { id: row.id } });
  return count === 1 ? row : null;
}

function redirectUri(origin: string): string {
  return `${origin}${OIDC_CALLBACK_PATH}`;
}

function withoutIssuer({ problem }: OidcFailure, label: string): AppError {
  const what = problem === 'unreachable' ? 'does not answer' : 'gives an answer that cannot be used; the log says why';
  return new AppError('UNAVAILABLE', `The sign-in service (${label}) ${what}. Try again, or sign in in another way.`);
}
