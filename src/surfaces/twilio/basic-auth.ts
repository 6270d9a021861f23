import type { FastifyRequest } from 'fastify';
import { findAccountRefusal } from '../../accounts/account-settings.js';
import type { Authenticator, Credential } from '../../accounts/authenticator.js';
import { AppError } from '../../platform/errors/app-error.js';
import { parseSid } from '../../platform/text/sids.js';
import { authentication, missingScope } from '../http/authentication.js';
import { TwilioError } from './errors.js';

const SCOPE = 'rest';
/** Syntax of basic authentication (RFC 7617 §2), with a case-insensitive scheme name. */
const BASIC = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;
const CHALLENGE = 'Basic realm="Heliograph", charset="UTF-8"';

interface SidCredential {
  credential: Credential;
  /** SID of an account or an API key. */
  userName: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    twilioCredential: Credential;
  }
}

type Keys = Pick<Authenticator, 'find'>;

/** The user name is the SID of an account (`AC…`) or a key (`SK…`), and the password is the API key of an app. */
export const basicAuth = authentication<Keys, SidCredential | null>('twilioCredential', (authenticator) => ({
  challenge: CHALLENGE,
  find: (request) => {
    const credentials = readCredentials(request);
    if (!credentials) return null;
    const result = authenticator.find(credentials.password);
    const withUserName = (credential: Credential | null) =>
      credential && { credential, userName: credentials.userName };
    return result instanceof Promise ? result.then(withUserName) : withUserName(result);
  },
  admit: (request, result) => {
    if (!result || !matchesUserName(result))
      return new AppError('UNAUTHORIZED', 'Authenticate: the SID or the key is missing or invalid.');
    const { credential } = result;
    if (!credential.scopes.includes(SCOPE)) return missingScope(SCOPE);
    request.twilioCredential = credential;
    const refusal = findAccountRefusal(credential.account);
    return refusal && new TwilioError(20005, refusal);
  },
}));

function matchesUserName({ credential: { surface, account, keyId }, userName }: SidCredential): boolean {
  return surface === 'a' && (parseSid(userName, 'AC') === account.id || parseSid(userName, 'SK') === keyId);
}

function readCredentials({ headers: { authorization = '' } }: FastifyRequest) {
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined || encoded.length > MAX_LENGTH) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon === -1 ? null : { userName: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

/** Maximum length of credentials in Base64, which is more than Heliograph's own keys need. */
const MAX_LENGTH = 1024;
