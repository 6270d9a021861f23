import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { changing } from '../../audit/change.js';
import type { Actor } from '../../audit/line.js';
import { hashKey } from '../../keys.js';
import { HeldOperator } from '../held.js';
import type { Browser, NewSession, SignedIn } from '../sessions/sessions.js';
import { type AttemptOptions, countFailure, forgive } from '../sign-in/attempts.js';
import { type EnteringOptions, enter } from '../sign-in/entering.js';
import { isToken, newToken } from '../tokens.js';
import { isLinked, link, operatorOf, recognize } from './links.js';
import { OidcFailure } from './problems.js';
import { hasState, proofOf } from './proof.js';
import type { Identity, OidcProvider } from './provider.js';
import { pageOfConsole } from './return-to.js';

/** How long somebody may take at the issuer, in milliseconds. */
export const OIDC_SIGN_IN_MS = 10 * 60_000;
/** Where the issuer sends the browser back to. */
export const OIDC_CALLBACK_PATH = '/admin/v1/session/oidc/callback';

export interface OidcSignInOptions extends AttemptOptions {
  prisma: AttemptOptions['prisma'] & EnteringOptions['prisma'] & Pick<PrismaClient, 'operator' | 'oidcSignIn'>;
  sessions: EnteringOptions['sessions'];
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
 * @param input.signedIn who is signed in in the browser
 * @returns the session of who has signed in; none for an operator who has one and signs in by it from now on
 */
export async function finishOidcSignIn(
  options: OidcSignInOptions,
  input: { token: string | undefined; answer: URLSearchParams; signedIn: SignedIn | null },
  place: Browser,
): Promise<FinishedOidcSignIn> {
  const { oidc } = options;
  const { token, answer, signedIn } = input;
  const proof = isToken(token) ? proofOf(token) : null;
  // An answer that was not asked for uses nothing up: anybody can have a browser ask for this address.
  const row = isToken(token) && proof && hasState(answer, proof) ? await take(options, token) : null;
  if (!row || !proof) return { begun: null, failure: new OidcFailure('expired') };
  const begun = { origin: row.origin, isLinking: row.operatorId !== null, returnTo: row.returnTo };
  try {
    const isOfOther = row.operatorId !== null && row.operatorId !== signedIn?.operator.id;
    if (!oidc || isOfOther) throw new OidcFailure('expired');
    const address = new URL(redirectUri(begun.origin));
    address.search = answer.toString();
    const identity = await oidc.identify(address, proof);
    const session = begun.isLinking
      ? await linkTo(options, signedIn as SignedIn, identity, place)
      : await signIn(options, identity, place);
    await forgive(options, { address: place.address });
    return { begun, session };
  } catch (error) {
    if (error instanceof OidcFailure) return { begun, failure: error };
    throw error;
  }
}

async function signIn(options: OidcSignInOptions, identity: Identity, place: Browser): Promise<NewSession | null> {
  const found = await operatorOf(options, identity);
  const entered = await enter(options, found.operator, {
    way: 'oidc',
    place,
    refusal: () => new OidcFailure('off'),
    prove: (held) => recognize(held, found, identity),
  });
  return entered === 'code needed' ? null : entered.session;
}

/** Links the operator of a session, unless that has ended while they were away. */
async function linkTo({ prisma }: OidcSignInOptions, signedIn: SignedIn, identity: Identity, place: Browser) {
  const { id, name } = signedIn.operator;
  const actor: Actor = { kind: 'operator', id, name, address: place.address };
  const self = { operatorId: id, sessionId: signedIn.session.id };
  return changing({ prisma }, { actor, accountId: null }, async (change) => {
    const held = await HeldOperator.acting(change.prisma, self).catch((error) => {
      throw error instanceof AppError ? new OidcFailure('expired') : error;
    });
    return link(held, identity);
  });
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
