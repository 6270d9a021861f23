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

  /** Starts a sign-in at the issuer. @returns where the issuer redirects to */
  async go(to?: string, path = ''): Promise<URL> {
    const begun = await this.ask('POST', `/admin/v1/session/oidc${path}`, path === '' ? { to } : undefined);
    if (begun.statusCode !== 200) throw new Error(`${begun.statusCode} ${begun.body}`);
    const answer = await fetch(begun.json().data.url, { redirect: 'manual' });
    const location = answer.headers.get('location');
    if (!location) throw new Error(`${answer.status} ${await answer.text()}`);
    return new URL(location);
  }

  async comeBack({ pathname, search }: URL): Promise<string> {
    const response = await this.ask('GET', `${pathname}${search}`);
    if (response.statusCode !== 303) throw new Error(`${response.statusCode} ${response.body}`);
    return String(response.headers.location);
  }

  async signIn(to?: string): Promise<string> {
    return this.comeBack(await this.go(to));
  }

  async operator(): Promise<{ name: string; hasOidc: boolean } | null> {
    const response = await this.ask('GET', '/admin/v1/session');
    return response.statusCode === 200 ? response.json().data.operator : null;
  }
}
