import { AppError } from '../../../platform/errors/app-error.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { makeChange } from '../../audit/change.js';
import type { Actor } from '../../audit/entry.js';
import { hashKey } from '../../keys.js';
import { LockedOperator } from '../locked-operator.js';
import type { BrowserClient, NewSession, SignedIn } from '../sessions/sessions.js';
import { type AttemptOptions, countAttempt, forgiveAttempt } from '../sign-in/attempts.js';
import { type StartSessionOptions, startSession } from '../sign-in/start-session.js';
import { generateToken, isToken } from '../tokens.js';
import { acceptIdentity, findLinkedOperator, isLinked, linkIdentity } from './identity-links.js';
import { OidcFailure } from './problems.js';
import { deriveProof, hasState } from './proof.js';
import type { Identity, OidcProvider } from './provider.js';
import { toConsolePath } from './return-to.js';

export const OIDC_SIGN_IN_MS = 10 * 60_000;
export const OIDC_CALLBACK_PATH = '/admin/v1/session/oidc/callback';

export interface OidcSignInOptions extends AttemptOptions {
  prisma: AttemptOptions['prisma'] & StartSessionOptions['prisma'] & Pick<PrismaClient, 'operator' | 'oidcSignIn'>;
  sessions: StartSessionOptions['sessions'];
  oidc: Pick<OidcProvider, 'authorizationUrl' | 'identify' | 'label'> | null;
}

export interface StartedOidcSignIn {
  token: string;
  url: string;
}

/**
 * A started sign-in counts as a failed attempt until it is finished. `origin` is the console's origin as the browser sees it,
 * and `operatorId` is set only when a signed-in operator links an identity.
 * @throws {AppError} NOT_FOUND, CONFLICT, RATE_LIMITED, UNAVAILABLE
 */
export async function startOidcSignIn(
  options: OidcSignInOptions,
  input: { origin: string; to?: string; operatorId?: string; address: string },
): Promise<StartedOidcSignIn> {
  const { prisma, clock, oidc } = options;
  const { origin, to, operatorId = null, address } = input;
  if (!oidc) throw new AppError('NOT_FOUND', 'Sign-in by OpenID Connect is not configured.');
  if (operatorId !== null) {
    const operator = await prisma.operator.findUniqueOrThrow({ where: { id: operatorId } });
    if (isLinked(operator))
      throw new AppError('CONFLICT', 'You already sign in by OpenID Connect. Disconnect it first.');
  }
  await countAttempt(options, { address });
  const token = generateToken();
  const url = await oidc.authorizationUrl(buildRedirectUri(origin), deriveProof(token)).catch((error) => {
    throw error instanceof OidcFailure ? createIssuerError(error, oidc.label) : error;
  });
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + OIDC_SIGN_IN_MS);
  const returnTo = toConsolePath(to);
  await prisma.oidcSignIn.create({
    data: { id: newId(), tokenHash: hashKey(token), operatorId, origin, returnTo, createdAt: now, expiresAt },
  });
  return { token, url };
}

export type FinishedOidcSignIn = {
  /** If the issuer's answer belongs to no sign-in, `started` is null and the browser keeps its cookie for a later answer. */
  started: { origin: string; isLinking: boolean; returnTo: string } | null;
} & ({ session: NewSession | null } | { failure: OidcFailure });

/**
 * An issuer's answer works once, and only in the browser that started the sign-in. `token` is the value of the browser's
 * cookie, and `answer` is the query of the redirect URL. The returned `session` is null if a signed-in operator linked an
 * identity.
 */
export async function finishOidcSignIn(
  options: OidcSignInOptions,
  input: { token: string | undefined; answer: URLSearchParams; signedIn: SignedIn | null },
  browser: BrowserClient,
): Promise<FinishedOidcSignIn> {
  const { oidc } = options;
  const { token, answer, signedIn } = input;
  const proof = isToken(token) ? deriveProof(token) : null;
  // Check the state first, so that a website that opens the redirect URL in the browser cannot use up the sign-in.
  const row = isToken(token) && proof && hasState(answer, proof) ? await consumeSignIn(options, token) : null;
  if (!row || !proof) return { started: null, failure: new OidcFailure('expired') };
  const started = { origin: row.origin, isLinking: row.operatorId !== null, returnTo: row.returnTo };
  try {
    const isForAnotherOperator = row.operatorId !== null && row.operatorId !== signedIn?.operator.id;
    if (!oidc || isForAnotherOperator) throw new OidcFailure('expired');
    const address = new URL(buildRedirectUri(started.origin));
    address.search = answer.toString();
    const identity = await oidc.identify(address, proof);
    const session = started.isLinking
      ? await linkToOperator(options, signedIn as SignedIn, identity, browser)
      : await signIn(options, identity, browser);
    await forgiveAttempt(options, { address: browser.address });
    return { started, session };
  } catch (error) {
    if (error instanceof OidcFailure) return { started, failure: error };
    throw error;
  }
}

async function signIn(
  options: OidcSignInOptions,
  identity: Identity,
  browser: BrowserClient,
): Promise<NewSession | null> {
  const match = await findLinkedOperator(options, identity);
  const signInResult = await startSession(options, match.operator, {
    way: 'oidc',
    browser,
    refusal: () => new OidcFailure('off'),
    prove: (locked) => acceptIdentity(locked, match, identity),
  });
  return signInResult === 'code needed' ? null : signInResult.session;
}

/** Checks the operator's session again, because it may have ended during the sign-in at the issuer. */
async function linkToOperator(
  { prisma }: OidcSignInOptions,
  signedIn: SignedIn,
  identity: Identity,
  browser: BrowserClient,
) {
  const { id, name } = signedIn.operator;
  const actor: Actor = { kind: 'operator', id, name, address: browser.address };
  const sessionRef = { operatorId: id, sessionId: signedIn.session.id };
  return makeChange({ prisma }, { actor, accountId: null }, async (change) => {
    const locked = await LockedOperator.lockSignedIn(change.prisma, sessionRef).catch((error) => {
      throw error instanceof AppError ? new OidcFailure('expired') : error;
    });
    return linkIdentity(locked, identity);
  });
}

/** Deletes the row of the sign-in, so that only one of two concurrent requests can finish the sign-in. */
async function consumeSignIn({ prisma, clock }: OidcSignInOptions, token: string) {
  const where = { tokenHash: hashKey(token), expiresAt: { gt: clock.now() } };
  const row = await prisma.oidcSignIn.findFirst({ where });
  if (!row) return null;
  const { count } = await prisma.oidcSignIn.deleteMany({ where: { id: row.id } });
  return count === 1 ? row : null;
}

function buildRedirectUri(origin: string): string {
  return `${origin}${OIDC_CALLBACK_PATH}`;
}

function createIssuerError({ problem }: OidcFailure, label: string): AppError {
  const symptom = problem === 'unreachable' ? 'does not respond' : 'sent an invalid answer; the log has details';
  return new AppError('UNAVAILABLE', `The sign-in service (${label}) ${symptom}. Try again, or sign in another way.`);
}
