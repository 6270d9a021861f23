import { toSid } from '../../src/platform/text/sids.js';
import type { TestAccount } from './accounts.js';
import type { TestApp } from './test-app.js';

type Method = 'GET' | 'POST' | 'DELETE';
type Form = Record<string, string> | [string, string][];

export function buildBasicAuth(userName: string, password: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${userName}:${password}`).toString('base64')}` };
}

export function buildAccountAuth({ id, apiKey }: TestAccount): { authorization: string } {
  return buildBasicAuth(toSid('AC', id), apiKey);
}

/** @param path part of the URL path after the account */
export function callTwilio(
  { app }: Pick<TestApp, 'app'>,
  account: TestAccount,
  method: Method,
  path: string,
  form?: Form,
  extra: Record<string, string> = {},
) {
  const url = `/2010-04-01/Accounts/${toSid('AC', account.id)}${path}`;
  const type = form && { 'content-type': 'application/x-www-form-urlencoded' };
  const headers = { ...buildAccountAuth(account), ...type, ...extra };
  return app.inject({ method, url, headers, ...(form && { payload: new URLSearchParams(form).toString() }) });
}

export function sendByTwilio(heliograph: Pick<TestApp, 'app'>, account: TestAccount, to: string) {
  return callTwilio(heliograph, account, 'POST', '/Messages.json', { To: `+${to}`, From: 'A', Body: 'Hi' });
}
