import type { FastifyRequest } from 'fastify';
import { refusalOf } from '../../accounts/account-settings.js';
import type { Authenticator, Credential } from '../../accounts/authenticator.js';
import { AppError } from '../../platform/errors/app-error.js';
import { idOfSid } from '../../platform/text/sids.js';
import { authentication, missingScope } from '../http/authentication.js';
import { TwilioError } from './errors.js';

/** The scope that an app needs, as for Surface A. */
const SCOPE = 'rest';
/** RFC 7617 §2; the scheme's name is case-insensitive. */
const BASIC = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;
const CHALLENGE = 'Basic realm="Heliograph", charset="UTF-8"';

/** The key of a request that may pass, and whose SIDs it was told with. */
interface SidCredential {
  credential: Credential;
  /** Account or key that the user name names. */
  userName: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key a request of Twilio's surface carries. */
    twilioCredential: Credential;
  }
}

type Keys = Pick<Authenticator, 'find'>;

/**
 * Lets a request pass whose user name is the SID of an account (`AC…`) or of a key (`SK…`) and whose password is that key, of an
 * app with the scope `rest`.
 */
export const basicAuth = authentication<Keys, SidCredential | null>('twilioCredential', (authenticator) => ({
  challenge: CHALLENGE,
  find: (request) => {
    const given = credentialsOf(request);
    if (!given) return null;
    const found = authenticator.find(given.password);
    const named = (credential: Credential | null) => credential && { credential, userName: given.userName };
    return found instanceof Promise ? found.then(named) : named(found);
  },
  admit: (request, found) => {
    if (!found || !isNamed(found))
      return new AppError('UNAUTHORIZED', 'Authenticate: the SID or the key is missing or invalid.');
    const { credential } = found;
    if (!credential.scopes.includes(SCOPE)) return missingScope(SCOPE);
    request.twilioCredential = credential;
    const refusal = refusalOf(credential.account);
    return refusal && new TwilioError(20005, refusal);
  },
}));

function isNamed({ credential: { surface, account, keyId }, userName }: SidCredential): boolean {
  return surface === 'a' && (idOfSid(userName, 'AC') === account.id || idOfSid(userName, 'SK') === keyId);
}

function credentialsOf({ headers: { authorization = '' } }: FastifyRequest) {
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined || encoded.length > MAX_LENGTH) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon === -1 ? null : { userName: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

/** Characters of both together in base64; a longer text is no key of ours. */
const MAX_LENGTH = 1024;
