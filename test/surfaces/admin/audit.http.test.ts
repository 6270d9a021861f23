import { beforeAll, describe, expect, it } from 'vitest';
import { createTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import {
  buildPath,
  expectForeignFieldsRefused,
  expectMalformedIdsRefused,
  expectNoChangeWithoutAuditEntry,
} from '../../support/console-attacks.js';
import {
  type Change,
  CONSOLE_CHANGES,
  type Data,
  listChanges,
  NEW_PASSWORD,
  NO_CHANGE,
} from '../../support/console-changes.js';
import { CLIENT, suiteIssuer } from '../../support/oidc-issuer.js';
import { createTestOperator, PASSWORD, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

// Each test makes several hundred requests, which would continue during the next test after a timeout.
// Without a worker, data changes only through the requests of the tests.
const issuer = await suiteIssuer();
const heliograph = suiteApp({
  role: 'api',
  settings: {
    SEND_WAIT_MS: '1',
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  },
});
let operations: Map<string, Change>;
const testedOperations = new Set<string>();
const secrets: string[] = [PASSWORD, NEW_PASSWORD, 'smsc-password'];
let channel: TestChannel;
let owner: TestOperator;
let params: Record<string, string>;

beforeAll(async () => {
  operations = await listChanges(heliograph);
  channel = await createTestChannel(heliograph.deps);
  await createTemplate(heliograph.deps, channel);
  owner = await createTestOperator(heliograph, { password: PASSWORD });
  params = { accountId: channel.account.id, channelId: channel.channelId };
});

const listAuditEntries = (actorName: string) => heliograph.deps.prisma.auditLine.findMany({ where: { actorName } });

const SIGNS_IN = ['consoleSignIn', 'consoleSignInByLink'];

/**
 * Makes a request that must succeed and leave an audit log entry with its author and address. Invalid variants of the request,
 * which are tried first, must change nothing.
 */
async function makeChange(
  operationId: string,
  overrides: Record<string, string> = {},
  body?: object,
  caller = owner,
): Promise<Data> {
  const operation = operations.get(operationId);
  if (!operation) throw new Error(`no route has ${operationId}`);
  const { method, path: pattern, fields } = operation;
  const request = { name: operationId, pattern, params: { ...params, ...overrides }, body, fields };
  // Signs in without the session's cookie, because the request would otherwise also end that session.
  const { cookie: _, ...headers } = caller.headers;
  const signIn = (path: string, payload: object | undefined) =>
    heliograph.app.inject({ method: 'POST', url: `/admin/v1${path}`, headers, ...(payload && { payload }) });
  const sendRequest = (path: string, payload: object | undefined) =>
    SIGNS_IN.includes(operationId) ? signIn(path, payload) : caller.ask(method, path, payload);
  await expectForeignFieldsRefused(heliograph.deps.pool, { ...request, ask: sendRequest });
  await expectMalformedIdsRefused({ ...request, ask: sendRequest });
  if (!(operationId in NO_CHANGE)) {
    await expectNoChangeWithoutAuditEntry(heliograph.deps.pool, { ...request, ask: sendRequest });
  }
  const countBefore = (await listAuditEntries(caller.name)).length;
  const response = await sendRequest(buildPath(request), body);
  expect(response.statusCode, `${operationId}: ${response.body}`).toBe(200);
  testedOperations.add(operationId);
  const { data } = response.json();
  const { secret, uri, link, recoveryCodes } = data;
  // The key of a contact field is a name.
  const key = operationId.endsWith('ContactField') ? null : data.key;
  for (const value of [key, secret, uri, link?.url?.split('token=')[1], data.url?.split('token=')[1]]) {
    if (value) secrets.push(value);
  }
  secrets.push(...(recoveryCodes ?? []));
  const auditEntries = await listAuditEntries(caller.name);
  const addedCount = auditEntries.length - countBefore;
  expect(addedCount, `lines of ${operationId}`).toBe(operationId in NO_CHANGE ? 0 : 1);
  for (const { actorKind, address, action } of auditEntries) {
    expect([actorKind, address, action]).toEqual(['operator', '127.0.0.1', expect.stringMatching(/^[\w-]+\.[\w-]+$/)]);
  }
  return data;
}

describe('the audit log', () => {
  it.each(Object.entries(CONSOLE_CHANGES))('has an entry for every change of %s', async (_, makeChanges) => {
    await makeChanges(makeChange, { heliograph, channel, issuerUrl: issuer.url });
  });

  it('is tested for every operation that is not a GET', () => {
    expect([...operations.keys()].filter((operationId) => !testedOperations.has(operationId))).toEqual([]);
  });

  it('contains no secret', async () => {
    const text = JSON.stringify(await heliograph.deps.prisma.auditLine.findMany());
    expect(secrets.length).toBeGreaterThan(15);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });
});
