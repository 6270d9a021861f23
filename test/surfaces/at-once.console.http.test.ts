import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestAccount, type TestAccount } from '../support/accounts.js';
import { createTemplate } from '../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { buildPath } from '../support/console-attacks.js';
import {
  type Change,
  CONSOLE_CHANGES,
  type Data,
  listChanges,
  NO_CHANGE,
  type PerformChange,
} from '../support/console-changes.js';
import { CLIENT, suiteIssuer } from '../support/oidc-issuer.js';
import { createTestOperator, PASSWORD, type TestOperator } from '../support/operators.js';
import { suiteApp } from '../support/suite.js';
import { SMS } from './a/requests.js';

/** `CONCURRENCY` is twice the size of the request pool, and `HIGH_CONCURRENCY` exceeds every limit on a number of resources. */
const CONCURRENCY = 32;
const HIGH_CONCURRENCY = 64;

const issuer = await suiteIssuer();
// Without a worker, data changes only through the requests of the tests.
const heliograph = suiteApp({
  role: 'api',
  settings: {
    DATABASE_POOL_SIZE: '15',
    SEND_WAIT_MS: '1',
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  },
});
/** Operations that may succeed several times, with the expected numbers of successes and audit log entries. */
const SEVERAL_SUCCEED: Readonly<Record<string, readonly [won: number, lines: number]>> = {
  // Limits on rates or resources allow ten to fifty of these requests to succeed.
  consoleSignIn: [10, 10],
  consoleConfirm: [10, 10],
  consoleBeginOidc: [30, 0],
  consoleBeginOidcLink: [30, 0],
  consoleCreateWebhook: [50, 50],
  consoleCreateAccountWebhook: [50, 50],
  consoleStartImport: [20, 20],
};
/** Operation that ends the session of all requests, so that every later request is refused. */
const ENDS_SESSIONS = 'consoleSignOut';
const SIGNS_IN = ['consoleSignIn', 'consoleSignInByLink'];
let operations: Map<string, Change>;
const testedOperations = new Set<string>();
let channel: TestChannel;
let otherAccount: TestAccount;
let owner: TestOperator;

beforeAll(async () => {
  operations = await listChanges(heliograph);
  channel = await createTestChannel(heliograph.deps);
  otherAccount = await createTestAccount(heliograph.deps);
  await createTemplate(heliograph.deps, channel);
  owner = await createTestOperator(heliograph, { password: PASSWORD });
});

const countAuditEntries = (actorName: string) => heliograph.deps.prisma.auditLine.count({ where: { actorName } });

/** Reads the version from the resource, or from the list that contains it. */
async function findVersion(path: string): Promise<string> {
  const steps = path.split('/');
  const parentPaths = steps.map((_, index) => steps.slice(0, steps.length - index).join('/')).slice(0, -1);
  const candidatePaths = path.endsWith('/guard') ? [`${steps.slice(0, 3).join('/')}/guard`] : parentPaths;
  for (const candidatePath of candidatePaths) {
    const response = await owner.ask('GET', candidatePath);
    if (response.statusCode !== 200) continue;
    const { data } = response.json();
    const entries: Record<string, string>[] = Array.isArray(data)
      ? data
      : (data.templates ?? [...(data.keys ?? []), data]);
    const resource = entries.find(({ id, name }) => steps.includes(id ?? '') || steps.includes(name ?? ''));
    if (resource?.version) return resource.version;
  }
  throw new Error(`nothing tells the version of ${path}`);
}

/**
 * Makes the same request many times concurrently, with one `Idempotency-Key` and one `If-Match` where supported. A further
 * request shows how the server responds once the concurrent requests are done.
 */
const makeConcurrentRequests: PerformChange = async (
  operationId,
  parameters = {},
  body,
  caller = owner,
): Promise<Data> => {
  const operation = operations.get(operationId);
  if (!operation) throw new Error(`no route has ${operationId}`);
  const { method, path: pattern, versioned } = operation;
  const path = buildPath({
    pattern,
    params: { accountId: channel.account.id, channelId: channel.channelId, ...parameters },
  });
  // Signs in without the session's cookie, because the request would otherwise also end that session.
  const { cookie: _, ...signedOut } = caller.headers;
  const headers = {
    ...(SIGNS_IN.includes(operationId) ? signedOut : caller.headers),
    'idempotency-key': randomUUID(),
    ...(versioned && { 'if-match': `"${await findVersion(path)}"` }),
  };
  // Deletes failed sign-ins, because they would block the next test.
  await heliograph.deps.prisma.signInAttempt.deleteMany();
  const request = () =>
    heliograph.app.inject({ method, url: `/admin/v1${path}`, headers, ...(body && { payload: body }) });

  const countBefore = await countAuditEntries(caller.name);
  const concurrency = operationId in SEVERAL_SUCCEED ? HIGH_CONCURRENCY : CONCURRENCY;
  const requests = Array.from({ length: concurrency }, request);
  const otherRequests = Promise.all([
    heliograph.app.inject({ method: 'GET', url: '/v1.0/account/balance', headers: otherAccount.headers }),
    heliograph.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: otherAccount.headers,
      payload: { ...SMS, channel: 'sms' },
    }),
  ]);
  // Awaits all requests first, so that none is still running when the next one starts.
  const [otherResponses, responses] = await Promise.all([otherRequests, Promise.all(requests)]);
  for (const otherResponse of otherResponses)
    expect(otherResponse.statusCode, `${operationId}: ${otherResponse.body}`).toBe(200);
  const serverErrors = responses.filter(({ statusCode }) => statusCode >= 500);
  expect(
    serverErrors.map((response) => response.body),
    operationId,
  ).toEqual([]);
  const successes = responses.filter(({ statusCode }) => statusCode === 200);
  const addedEntries = (await countAuditEntries(caller.name)) - countBefore;
  const repeatedResponse = await request();
  const entriesOfRepeat = (await countAuditEntries(caller.name)) - countBefore - addedEntries;
  const isRepeatable = repeatedResponse.statusCode === 200;
  const [winners, changes] = SEVERAL_SUCCEED[operationId] ?? [
    isRepeatable ? concurrency : 1,
    isRepeatable && entriesOfRepeat ? concurrency : 1,
  ];
  if (operationId === ENDS_SESSIONS) {
    expect(successes.length).toBeGreaterThan(0);
    expect(responses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(concurrency - successes.length);
  } else {
    expect(successes.length, `${operationId} succeeded, and then: ${repeatedResponse.body}`).toBe(winners);
  }
  expect(addedEntries, `lines of ${operationId}`).toBe(operationId in NO_CHANGE ? 0 : changes);
  testedOperations.add(operationId);
  return (repeatedResponse.statusCode === 200 ? repeatedResponse : successes[0])?.json().data;
};

describe('concurrent identical requests of the console have the same result as sequential ones', () => {
  it.each(Object.entries(CONSOLE_CHANGES))('%s', async (_, makeChanges) => {
    await makeChanges(makeConcurrentRequests, { heliograph, channel, issuerUrl: issuer.url });
  });

  it('are tested for every operation that is not a GET', () => {
    expect([...operations.keys()].filter((operationId) => !testedOperations.has(operationId))).toEqual([]);
  });
});
