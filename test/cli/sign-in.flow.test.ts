import { beforeAll, describe, expect, it } from 'vitest';
import { commandsOnTestStore } from './run.js';

const commands = commandsOnTestStore({ env: { CONSOLE_URL: 'https://sms.example.com' } });
const { cli, json } = commands;
let account: string;

interface CreatedService {
  id: string;
  type: string;
  url?: string;
  secret?: string | null;
  serviceSid?: string;
}
const add = (...args: string[]) =>
  json<CreatedService>('sign-in', 'add', account, '--app-name', 'Acme', '--from', 'Acme', ...args);
const readError = async (...args: string[]) => (await cli('sign-in', ...args)).stderr;

beforeAll(async () => {
  account = await commands.createAccount('Shop');
});

describe('heliograph sign-in', () => {
  it.each([
    ['supabase', /^v1,whsec_[A-Za-z0-9+/]{43}=$/],
    ['auth0', /^[\w-]{43}$/],
    ['authentik', /^[\w-]{43}$/],
    ['keycloak', /^[\w-]{43}$/],
    ['fusionauth', /^[\w-]{43}$/],
  ])('sets up a hook of %s, and shows its URL, and its secret this once', async (type, pattern) => {
    const created = await add('--type', type);
    expect(created).toMatchObject({ type, url: `https://sms.example.com/hooks/sign-in/${created.id}` });
    expect(created.secret).toMatch(pattern);
    const list = await cli('--json', 'sign-in', 'list');
    expect(list.stdout).toContain(`/hooks/sign-in/${created.id}`);
    expect(list.stdout).not.toContain(created.secret);
    const renewedService = await json<CreatedService>('sign-in', 'secret', created.id);
    expect(renewedService.secret).toMatch(pattern);
    expect(renewedService.secret).not.toBe(created.secret);
  });

  it('accepts a secret from the login system', async () => {
    const zitadel = await add('--type', 'zitadel');
    expect(zitadel.secret).toBeNull();
    expect(
      (await cli('sign-in', 'add', account, '--type', 'zitadel', '--app-name', 'A', '--from', 'A')).stdout,
    ).toContain('heliograph sign-in secret ');
    const key = 'a-signing-key-of-zitadel';
    expect(await json('sign-in', 'secret', zitadel.id, '--secret', key)).toMatchObject({ secret: key });
    const secret = 'v1,whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=';
    expect(await add('--type', 'supabase', '--secret', secret)).toMatchObject({ secret: secret });
  });

  it('adds and removes a Verify service, which has no secret', async () => {
    const created = await add();
    expect(created).toMatchObject({ type: 'verify', serviceSid: `VA${created.id.replaceAll('-', '')}` });
    expect(await readError('secret', created.id)).toContain('the service has no secret');
    expect(await json('sign-in', 'remove', created.id)).toEqual({ id: created.id, removed: true });
    expect(JSON.stringify(await json('sign-in', 'list', '--account', account))).not.toContain(created.id);
    const otherAccount = await commands.createAccount('Other');
    expect(await json('sign-in', 'list', '--account', otherAccount)).toEqual([]);
  });

  it.each([
    [['--digits', '3'], 'digits must be an integer from 4 to 10'],
    [['--digits', 'x'], 'must be a whole number'],
    [['--locale', 'not a tag'], 'locale must be a language tag'],
    [['--template', 'sign_in'], 'template must be set together with whatsappFrom'],
    [['--template-language', 'de'], 'templateLanguage must be set together with template'],
    [['--whatsapp-from', '+1', '--template', 'x'], 'whatsappFrom must be the number'],
    [['--secret', 'a-secret-of-somebody'], 'secret can only be set for hooks'],
    [['--type', 'supabase', '--secret', 'whsec'], 'secret must be v1,whsec_'],
    [['--type', 'auth0', '--secret', 'short'], 'secret must be at least 16'],
    [['--type', 'okta'], 'Allowed choices are'],
  ])('refuses %j', async (args, rule) => {
    const message = await readError('add', account, '--app-name', 'Acme', '--from', 'Acme', ...args);
    expect(message).toContain(rule);
  });

  it('rejects invalid names and senders, and unknown IDs', async () => {
    expect(await readError('add', account, '--app-name', '***', '--from', 'Acme')).toContain('appName must be');
    expect(await readError('add', account, '--app-name', 'Acme', '--from', 'x'.repeat(19))).toContain('sender must be');
    expect(await readError('add', account, '--app-name', 'Acme', '--from', 'Ac\u202eme')).toContain('sender must be');
    expect(await readError('add', 'nobody', '--app-name', 'Acme', '--from', 'Acme')).toContain('there is no account');
    expect(await readError('secret', 'nobody')).toContain('there is no service');
  });
});
