import type { TestChannel } from './channels.js';
import type { TestApp } from './test-app.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** @param path starts after `/api/v1` */
export function call(
  { app }: Pick<TestApp, 'app'>,
  { headers }: Pick<TestChannel, 'headers'>,
  method: Method,
  path: string,
  payload?: object,
  extra: Record<string, string> = {},
) {
  return app.inject({ method, url: `/api/v1${path}`, headers: { ...headers, ...extra }, payload });
}

export function bindSends(heliograph: Pick<TestApp, 'app'>, channel: Pick<TestChannel, 'headers'>) {
  const send =
    (path: string) =>
    (payload: object, from = channel, headers: Record<string, string> = {}) =>
      call(heliograph, from, 'POST', `/messages/${path}`, payload, headers);
  return { sendTemplate: send('template'), sendReply: send('reply') };
}

export function playInbound({ app }: Pick<TestApp, 'app'>, { headers }: Pick<TestChannel, 'headers'>, payload: object) {
  return app.inject({ method: 'POST', url: '/simulator/v1/inbound', headers, payload });
}

/** Body of a template send without parameters. */
export const HELLO = { to: '15005550111', templateName: 'hello_world', language: 'en_US' };
