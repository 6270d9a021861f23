import { createHash, createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll } from 'vitest';

export const CLIENT = { id: 'heliograph', secret: 'the-secret-of-the-client' };

export interface IssuerBehaviour {
  person: { sub: string; email?: string; email_verified?: unknown };
  /** Additional or changed claims of the ID token. */
  claims: Record<string, unknown>;
  /** If false, only `/userinfo` returns the e-mail address. */
  emailInToken: boolean;
  /** With `stranger`, the ID token is signed with a key that the issuer never published. */
  signs: 'issuer' | 'stranger';
  answers: 'code' | 'access_denied';
  tokens: 'given' | 'refused' | 'broken';
}

export interface TestIssuer {
  url: string;
  behaviour: IssuerBehaviour;
  requestedPaths: string[];
  reset(person?: Partial<IssuerBehaviour['person']>): void;
  close(): Promise<void>;
}

interface Grant {
  redirectUri: string;
  nonce: string;
  challenge: string;
}

const PERSON = { sub: 'person-1', email: 'ada@example.com', email_verified: true };

/** Starts an issuer that supports discovery, keys, PKCE, `client_secret_basic` and `/userinfo`, and signs everyone in. */
export async function openIssuer(): Promise<TestIssuer> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  const app: FastifyInstance = fastify();
  const issuer: TestIssuer = {
    url: '',
    behaviour: createBehaviour(PERSON),
    requestedPaths: [],
    reset(person) {
      issuer.behaviour = createBehaviour({ ...PERSON, ...person });
      issuer.requestedPaths.length = 0;
    },
    close: () => app.close(),
  };
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.addHook('onRequest', async (request) => void issuer.requestedPaths.push(request.url.split('?')[0] ?? ''));

  app.get('/.well-known/openid-configuration', async () => ({
    issuer: issuer.url,
    authorization_endpoint: `${issuer.url}/authorize`,
    token_endpoint: `${issuer.url}/token`,
    userinfo_endpoint: `${issuer.url}/userinfo`,
    jwks_uri: `${issuer.url}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }));
  app.get('/jwks', async () => ({
    keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
  }));

  app.get<{ Querystring: Record<string, string> }>('/authorize', async ({ query }, reply) => {
    const { client_id, response_type, redirect_uri, code_challenge_method, scope } = query;
    if (client_id !== CLIENT.id || response_type !== 'code' || code_challenge_method !== 'S256' || !redirect_uri) {
      return reply.code(400).send(query);
    }
    if (!scope?.split(' ').includes('openid')) return reply.code(400).send(query);
    const redirectUrl = new URL(redirect_uri);
    redirectUrl.searchParams.set('state', query.state ?? '');
    redirectUrl.searchParams.set('iss', issuer.url);
    if (issuer.behaviour.answers === 'access_denied') {
      redirectUrl.searchParams.set('error', 'access_denied');
    } else {
      const code = randomUUID();
      grants.set(code, { redirectUri: redirect_uri, nonce: query.nonce ?? '', challenge: query.code_challenge ?? '' });
      redirectUrl.searchParams.set('code', code);
    }
    return reply.redirect(redirectUrl.href, 302);
  });

  app.post<{ Body: Record<string, string> }>('/token', async ({ body, headers }, reply) => {
    const { tokens, claims, emailInToken, person, signs } = issuer.behaviour;
    if (tokens === 'broken') return reply.code(502).type('text/html').send('<h1>Bad gateway</h1>');
    if (tokens === 'refused' || parseCredentials(headers.authorization) !== `${CLIENT.id}:${CLIENT.secret}`) {
      return reply.code(401).send({ error: 'invalid_client', error_description: 'The secret is not right.' });
    }
    const grant = grants.get(body.code ?? '');
    grants.delete(body.code ?? '');
    const challenge = createHash('sha256')
      .update(body.code_verifier ?? '')
      .digest('base64url');
    if (!grant || grant.redirectUri !== body.redirect_uri || grant.challenge !== challenge) {
      return reply.code(400).send({ error: 'invalid_grant' });
    }
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      ...(emailInToken ? person : { sub: person.sub }),
      iss: issuer.url,
      aud: CLIENT.id,
      iat: now,
      exp: now + 300,
      nonce: grant.nonce,
      ...claims,
    };
    const { privateKey } = signs === 'issuer' ? keys : stranger;
    return {
      access_token: 'for-userinfo',
      token_type: 'Bearer',
      expires_in: 300,
      id_token: signJwt(payload, privateKey),
    };
  });
  app.get('/userinfo', async ({ headers }, reply) =>
    headers.authorization === 'Bearer for-userinfo' ? issuer.behaviour.person : reply.code(401).send(),
  );

  await app.listen({ host: '127.0.0.1', port: 0 });
  issuer.url = `http://127.0.0.1:${(app.server.address() as { port: number }).port}`;
  return issuer;
}

function createBehaviour(person: IssuerBehaviour['person']): IssuerBehaviour {
  return { person, claims: {}, emailInToken: true, signs: 'issuer', answers: 'code', tokens: 'given' };
}

/** Decodes the client ID and secret, which clients form-encode before joining them (RFC 6749 §2.3.1). */
function parseCredentials(authorization = ''): string {
  const [, basic = ''] = authorization.split('Basic ');
  return decodeURIComponent(Buffer.from(basic, 'base64').toString());
}

function signJwt(payload: object, key: KeyObject): string {
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encodePart({ alg: 'RS256', kid: 'one', typ: 'JWT' })}.${encodePart(payload)}`;
  return `${text}.${createSign('sha256').update(text).sign(key).toString('base64url')}`;
}

/** Opens an issuer whose address is known before the first test. */
export async function suiteIssuer(): Promise<TestIssuer> {
  const issuer = await openIssuer();
  afterAll(() => issuer.close());
  return issuer;
}
