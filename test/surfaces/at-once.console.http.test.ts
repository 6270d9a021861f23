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

/** Twice the size of the pool for requests, and more than each limited number of things. */
const AT_ONCE = 32;
const MORE_AT_ONCE = 64;

const issuer = await suiteIssuer();
// Without a worker, nothing changes by itself.
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
/** Successes and audit log entries of requests of which more than one may succeed. */
const SEVERAL: Readonly<Record<string, readonly [won: number, lines: number]>> = {
  // Only this many may fail or start at once.
  consoleSignIn: [10, 10],
  consoleConfirm: [10, 10],
  consoleBeginOidc: [30, 0],
  consoleBeginOidcLink: [30, 0],
  consoleCreateWebhook: [50, 50],
  consoleCreateAccountWebhook: [50, 50],
  consoleStartImport: [20, 20],
};
/** Ends the session of all others, so every later request is refused. */
const ENDS_ITSELF = 'consoleSignOut';
const SIGNS_IN = ['consoleSignIn', 'consoleSignInByLink'];
let operations: Map<string, Change>;
const walked = new Set<string>();
let channel: TestChannel;
let other: TestAccount;
let owner: TestOperator;

beforeAll(async () => {
  operations = await listChanges(heliograph);
  channel = await createTestChannel(heliograph.deps);
  other = await createTestAccount(heliograph.deps);
  await createTemplate(heliograph.deps, channel);
  owner = await createTestOperator(heliograph, { password: PASSWORD });
});

const countLines = (actorName: string) => heliograph.deps.prisma.auditLine.count({ where: { actorName } });

/** Read from the resource, or from the list that contains it. */
async function versionOf(path: string): Promise<string> {
  const steps = path.split('/');
  const above = steps.map((_, index) => steps.slice(0, steps.length - index).join('/')).slice(0, -1);
  const places = path.endsWith('/guard') ? [`${steps.slice(0, 3).join('/')}/guard`] : above;
  for (const place of places) {
    const answer = await owner.ask('GET', place);
    if (answer.statusCode !== 200) continue;
    const { data } = answer.json();
    const entries: Record<string, string>[] = Array.isArray(data)
      ? data
      : (data.templates ?? [...(data.keys ?? []), data]);
    const found = entries.find(({ id, name }) => steps.includes(id ?? '') || steps.includes(name ?? ''));
    if (found?.version) return found.version;
  }
  throw new Error(`nothing tells the version of ${path}`);
}

/**
 * Makes the same request many times concurrently, with one `Idempotency-Key` and one `If-Match` where supported. Another
 * request afterwards shows how each later one would have been answered in sequence. Audit log entries count the changes.
 */
const did: PerformChange = async (operationId, more = {}, body, by = owner): Promise<Data> => {
  const operation = operations.get(operationId);
  if (!operation) throw new Error(`no route has ${operationId}`);
  const { method, path: pattern, versioned } = operation;
  const path = buildPath({ pattern, params: { accountId: channel.account.id, channelId: channel.channelId, ...more } });
  // From another browser: otherwise the request would also end the test's session, which is another change.
  const { cookie: _, ...signedOut } = by.headers;
  const headers = {
    ...(SIGNS_IN.includes(operationId) ? signedOut : by.headers),
    'idempotency-key': randomUUID(),
    ...(versioned && { 'if-match': `"${await versionOf(path)}"` }),
  };
  // Failed attempts of requests that only one can win would block the next test.
  await heliograph.deps.prisma.signInAttempt.deleteMany();
  const ask = () => heliograph.app.inject({ method, url: `/admin/v1${path}`, headers, ...(body && { payload: body }) });

  const before = await countLines(by.name);
  const atOnce = operationId in SEVERAL ? MORE_AT_ONCE : AT_ONCE;
  const all = Array.from({ length: atOnce }, ask);
  const others = Promise.all([
    heliograph.app.inject({ method: 'GET', url: '/v1.0/account/balance', headers: other.headers }),
    heliograph.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: other.headers,
      payload: { ...SMS, channel: 'sms' },
    }),
  ]);
  // Awaits all first, so that none is still running when the next request starts.
  const [besides, answers] = await Promise.all([others, Promise.all(all)]);
  for (const beside of besides) expect(beside.statusCode, `${operationId}: ${beside.body}`).toBe(200);
  const broken = answers.filter(({ statusCode }) => statusCode >= 500);
  expect(
    broken.map((each) => each.body),
    operationId,
  ).toEqual([]);
  const won = answers.filter(({ statusCode }) => statusCode === 200);
  const lines = (await countLines(by.name)) - before;
  const again = await ask();
  const linesAgain = (await countLines(by.name)) - before - lines;
  const isRepeatable = again.statusCode === 200;
  const [winners, changes] = SEVERAL[operationId] ?? [
    isRepeatable ? atOnce : 1,
    isRepeatable && linesAgain ? atOnce : 1,
  ];
  if (operationId === ENDS_ITSELF) {
    expect(won.length).toBeGreaterThan(0);
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(atOnce - won.length);
  } else {
    expect(won.length, `${operationId} succeeded, and then: ${again.body}`).toBe(winners);
  }
  expect(lines, `lines of ${operationId}`).toBe(operationId in NO_CHANGE ? 0 : changes);
  walked.add(operationId);
  return (again.statusCode === 200 ? again : won[0])?.json().data;
};

describe('concurrent identical requests of the console have the same result as sequential ones', () => {
  it.each(Object.entries(CONSOLE_CHANGES))('%s', async (_, make) => {
    await make(did, { heliograph, channel, issuerUrl: issuer.url });
  });

  it('are tested for every operation that is not a GET', () => {
    expect([...operations.keys()].filter((each) => !walked.has(each))).toEqual([]);
  });
});
