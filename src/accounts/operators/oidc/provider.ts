import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/clock.js';
import { OidcFailure } from './problems.js';
import type { Proof } from './proof.js';

/** How long what the issuer says of itself is kept, in milliseconds. */
const KEPT_MS = 60 * 60_000;
/** The longest time that one request to the issuer takes, in seconds. */
const PATIENCE_SECONDS = 5;
/** Most characters that are logged of what the issuer says is wrong. */
const MAX_LOGGED = 300;

export interface OidcSettings {
  /** As the issuer names itself; https, or http on this machine. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Separated by spaces; `openid` is one of them. */
  scopes: string;
  /** What people call the issuer. */
  label: string;
}

/** Who somebody is to the issuer. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Their e-mail address, if the issuer has verified it. */
  verifiedEmail(): Promise<string | null>;
}

/**
 * The OpenID Connect issuer by which operators sign in: authorization code flow with PKCE. The library is loaded, and the
 * issuer asked for what it is, when somebody first signs in; a failure is forgotten, so that the next one tries again.
 */
export class OidcProvider {
  readonly #settings: OidcSettings;
  readonly #options: { clock: Clock; log: Logger };
  #known: { configuration: Promise<Configuration>; until: number } | null = null;

  constructor(settings: OidcSettings, options: { clock: Clock; log: Logger }) {
    this.#settings = settings;
    this.#options = options;
  }

  get label(): string {
    return this.#settings.label;
  }

  /**
   * Where the browser is sent to sign in.
   * @throws {OidcFailure} `unreachable`, `failed`
   */
  async authorizationUrl(redirectUri: string, { state, nonce, codeVerifier }: Proof): Promise<string> {
    return this.#telling(async ({ buildAuthorizationUrl, calculatePKCECodeChallenge }) => {
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

  /**
   * Who came back from the issuer: exchanges the code, and checks issuer, audience, times, nonce and signature.
   * @param address the redirect address with everything that the issuer added
   * @throws {OidcFailure} `denied`, `unreachable`, `failed`
   */
  async identify(address: URL, { state, nonce, codeVerifier }: Proof): Promise<Identity> {
    return this.#telling(async ({ authorizationCodeGrant, fetchUserInfo }) => {
      const configuration = await this.#configuration();
      const tokens = await authorizationCodeGrant(configuration, address, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new OidcFailure('failed');
      /** Some issuers, Okta among them, tell it there alone. */
      const userInfo = () => fetchUserInfo(configuration, tokens.access_token, claims.sub);
      const asks = configuration.serverMetadata().userinfo_endpoint !== undefined;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        verifiedEmail: () =>
          this.#telling(async () => {
            const told = claims.email !== undefined && claims.email_verified !== undefined;
            return verifiedEmailOf(told || !asks ? claims : await userInfo());
          }),
      };
    });
  }

  async #configuration(): Promise<Configuration> {
    const now = this.#options.clock.now().getTime();
    if (this.#known && now < this.#known.until) return this.#known.configuration;
    const known = { configuration: this.#discover(), until: now + KEPT_MS };
    this.#known = known;
    known.configuration.catch(() => {
      if (this.#known === known) this.#known = null;
    });
    return known.configuration;
  }

  async #discover(): Promise<Configuration> {
    const { allowInsecureRequests, ClientSecretBasic, ClientSecretPost, discovery, enableNonRepudiationChecks } =
      await library();
    const { clientId, clientSecret } = this.#settings;
    const issuer = new URL(this.#settings.issuer);
    const post = ClientSecretPost(clientSecret);
    const basic = ClientSecretBasic(clientSecret);
    // Without a list, OpenID Connect Discovery §3 says `client_secret_basic`.
    const authenticate: typeof post = (server, ...rest) =>
      (server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ? post : basic)(server, ...rest);
    return discovery(issuer, clientId, undefined, authenticate, {
      timeout: PATIENCE_SECONDS,
      // The signature too: otherwise that of TLS alone would count.
      execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
    });
  }

  /** Does what asks the issuer. What goes wrong is logged in the library's words, which hold no token and no secret. */
  async #telling<T>(work: (oidc: Library) => Promise<T>): Promise<T> {
    try {
      return await work(await library());
    } catch (error) {
      if (error instanceof OidcFailure) throw error;
      const failure = new OidcFailure(problemOf(error));
      if (failure.problem !== 'denied') {
        this.#options.log.warn({ problem: failure.problem, ...shown(error) }, 'A sign-in by OpenID Connect failed');
      }
      throw failure;
    }
  }
}

type Library = typeof import('openid-client');

/** Only who signs in by it pays for it. */
function library(): Promise<Library> {
  return import('openid-client');
}

/** What the library and `fetch` say of an error. Its causes hold answers of the issuer, and are never logged. */
interface LibraryError {
  code?: string;
  /** RFC 6749 §4.1.2.1 and §5.2. */
  error?: string;
  error_description?: string;
  status?: number;
  message?: string;
  cause?: { code?: string; status?: number; attribute?: string; claim?: string };
}

function problemOf(error: unknown): OidcFailure['problem'] {
  const { code, error: answer, status, cause } = error as LibraryError;
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR' && answer === 'access_denied') return 'denied';
  const isAway = answer === 'temporarily_unavailable' || answer === 'server_error';
  const isServerError = (status ?? cause?.status ?? 0) >= 500;
  const isSilent = (error instanceof TypeError && code === undefined) || code === 'OAUTH_TIMEOUT';
  return isAway || isServerError || isSilent ? 'unreachable' : 'failed';
}

function shown(error: unknown) {
  const { code, error: answer, error_description: description, message, cause } = error as LibraryError;
  const text = (value: string | undefined) => value?.slice(0, MAX_LOGGED);
  return {
    reason: text(message),
    code: text(code ?? cause?.code),
    attribute: text(cause?.attribute ?? cause?.claim),
    answer: text(answer),
    description: text(description),
  };
}

/** Amazon Cognito and Sign in with Apple say `"true"`. */
function verifiedEmailOf({ email, email_verified: verified }: IDToken | UserInfoResponse): string | null {
  const isVerified = verified === true || (verified as unknown) === 'true';
  return typeof email === 'string' && isVerified ? email : null;
}
