import type { LightMyRequestResponse } from 'fastify';
import { ORIGIN } from './operators.js';
import type { TestApp } from './test-app.js';

let count = 0;

export class OidcBrowser {
  readonly #heliograph: Pick<TestApp, 'app'>;
  readonly #origin: string;
  readonly cookies = new Map<string, string>();
  readonly remoteAddress: string;

  constructor(heliograph: Pick<TestApp, 'app'>, origin = ORIGIN) {
    this.#heliograph = heliograph;
    this.#origin = origin;
    count += 1;
    this.remoteAddress = `192.0.2.${count}`;
  }

  async ask(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object): Promise<LightMyRequestResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.#heliograph.app.inject({
      method,
      url,
      remoteAddress: this.remoteAddress,
      headers: {
        host: new URL(this.#origin).host,
        ...(cookie && { cookie }),
        ...(method !== 'GET' && { origin: this.#origin, 'content-type': 'application/json' }),
      },
      ...(payload && { payload }),
    });
    for (const { name, value, maxAge, expires } of response.cookies) {
      if (value === '' || maxAge === 0 || (expires && expires.getTime() < 1000)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** Starts a sign-in at the issuer, and returns the URL to which the issuer redirects. */
  async startSignIn(to?: string, path = ''): Promise<URL> {
    const startResponse = await this.ask('POST', `/admin/v1/session/oidc${path}`, path === '' ? { to } : undefined);
    if (startResponse.statusCode !== 200) throw new Error(`${startResponse.statusCode} ${startResponse.body}`);
    const response = await fetch(startResponse.json().data.url, { redirect: 'manual' });
    const location = response.headers.get('location');
    if (!location) throw new Error(`${response.status} ${await response.text()}`);
    return new URL(location);
  }

  async finishSignIn({ pathname, search }: URL): Promise<string> {
    const response = await this.ask('GET', `${pathname}${search}`);
    if (response.statusCode !== 303) throw new Error(`${response.statusCode} ${response.body}`);
    return String(response.headers.location);
  }

  async signIn(to?: string): Promise<string> {
    return this.finishSignIn(await this.startSignIn(to));
  }

  async readOperator(): Promise<{ name: string; hasOidc: boolean } | null> {
    const response = await this.ask('GET', '/admin/v1/session');
    return response.statusCode === 200 ? response.json().data.operator : null;
  }
}
