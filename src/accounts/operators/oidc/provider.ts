import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/clock.js';
import { OidcFailure } from './problems.js';
import type { SignInProof } from './proof.js';

const METADATA_LIFETIME_MS = 60 * 60_000;
const TIMEOUT_SECONDS = 5;
const MAX_LOGGED = 300;

export interface OidcSettings {
  /** The issuer's URL must use https, or http if the issuer runs on the same machine. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** OpenID Connect scopes, which are separated by spaces and include `openid`. */
  scopes: string;
  label: string;
}

export interface Identity {
  issuer: string;
  subject: string;
  verifiedEmail(): Promise<string | null>;
}

export class OidcProvider {
  readonly #settings: OidcSettings;
  readonly #options: { clock: Clock; log: Logger };
  #cachedMetadata: { configuration: Promise<Configuration>; until: number } | null = null;

  constructor(settings: OidcSettings, options: { clock: Clock; log: Logger }) {
    this.#settings = settings;
    this.#options = options;
  }

  get label(): string {
    return this.#settings.label;
  }

  /** @throws {OidcFailure} `unreachable`, `failed` */
  async authorizationUrl(redirectUri: string, { state, nonce, codeVerifier }: SignInProof): Promise<string> {
    return this.#withFailureLog(async ({ buildAuthorizationUrl, calculatePKCECodeChallenge }) => {
      const url = buildAuthorizationUrl(await this.#configuration(), {
        redirect_uri: redirectUri,
        scope: this.#settings.scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    });
  }

  /** @throws {OidcFailure} `denied`, `unreachable`, `failed` */
  async identify(address: URL, { state, nonce, codeVerifier }: SignInProof): Promise<Identity> {
    return this.#withFailureLog(async ({ authorizationCodeGrant, fetchUserInfo }) => {
      const configuration = await this.#configuration();
      const tokens = await authorizationCodeGrant(configuration, address, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new OidcFailure('failed');
      /** Some issuers, including Okta, return the e-mail address only at the userinfo endpoint. */
      const loadUserInfo = () => fetchUserInfo(configuration, tokens.access_token, claims.sub);
      const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        verifiedEmail: () =>
          this.#withFailureLog(async () => {
            const hasEmailClaims = claims.email !== undefined && claims.email_verified !== undefined;
            return findVerifiedEmail(hasEmailClaims || !hasUserInfo ? claims : await loadUserInfo());
          }),
      };
    });
  }

  async #configuration(): Promise<Configuration> {
    const now = this.#options.clock.now().getTime();
    if (this.#cachedMetadata && now < this.#cachedMetadata.until) return this.#cachedMetadata.configuration;
    const metadata = { configuration: this.#discover(), until: now + METADATA_LIFETIME_MS };
    this.#cachedMetadata = metadata;
    metadata.configuration.catch(() => {
      if (this.#cachedMetadata === metadata) this.#cachedMetadata = null;
    });
    return metadata.configuration;
  }

  async #discover(): Promise<Configuration> {
    const { allowInsecureRequests, ClientSecretBasic, ClientSecretPost, discovery, enableNonRepudiationChecks } =
      await loadLibrary();
    const { clientId, clientSecret } = this.#settings;
    const issuer = new URL(this.#settings.issuer);
    const post = ClientSecretPost(clientSecret);
    const basic = ClientSecretBasic(clientSecret);
    // If the issuer lists no authentication methods, `client_secret_basic` applies (OpenID Connect Discovery §3).
    const authenticate: typeof post = (server, ...args) =>
      (server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ? post : basic)(server, ...args);
    return discovery(issuer, clientId, undefined, authenticate, {
      timeout: TIMEOUT_SECONDS,
      execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
    });
  }

  /** The OpenID Connect library's error messages can be logged, because they contain no tokens or secrets. */
  async #withFailureLog<T>(work: (oidc: Library) => Promise<T>): Promise<T> {
    try {
      return await work(await loadLibrary());
    } catch (error) {
      if (error instanceof OidcFailure) throw error;
      const failure = new OidcFailure(classifyError(error));
      if (failure.problem !== 'denied') {
        this.#options.log.warn(
          { problem: failure.problem, ...toLogFields(error) },
          'A sign-in by OpenID Connect failed',
        );
      }
      throw failure;
    }
  }
}

type Library = typeof import('openid-client');

/** Loads the OpenID Connect library on demand, because most installations do not use it. */
function loadLibrary(): Promise<Library> {
  return import('openid-client');
}

/** Never log the complete `cause` of an error, because it can contain the issuer's answer. */
interface LibraryError {
  code?: string;
  error?: string;
  error_description?: string;
  status?: number;
  message?: string;
  cause?: { code?: string; status?: number; attribute?: string; claim?: string };
}

function classifyError(error: unknown): OidcFailure['problem'] {
  const { code, error: answer, status, cause } = error as LibraryError;
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR' && answer === 'access_denied') return 'denied';
  const isTemporary = answer === 'temporarily_unavailable' || answer === 'server_error';
  const isServerError = (status ?? cause?.status ?? 0) >= 500;
  const hasNoAnswer = (error instanceof TypeError && code === undefined) || code === 'OAUTH_TIMEOUT';
  return isTemporary || isServerError || hasNoAnswer ? 'unreachable' : 'failed';
}

function toLogFields(error: unknown) {
  const { code, error: answer, error_description: description, message, cause } = error as LibraryError;
  const truncate = (value: string | undefined) => value?.slice(0, MAX_LOGGED);
  return {
    reason: truncate(message),
    code: truncate(code ?? cause?.code),
    attribute: truncate(cause?.attribute ?? cause?.claim),
    answer: truncate(answer),
    description: truncate(description),
  };
}

/** Amazon Cognito and Sign in with Apple send `email_verified` as the string `"true"`. */
function findVerifiedEmail({ email, email_verified: verified }: IDToken | UserInfoResponse): string | null {
  const isVerified = verified === true || (verified as unknown) === 'true';
  return typeof email === 'string' && isVerified ? email : null;
}
