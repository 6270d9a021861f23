import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { createTestChannel } from '../../support/channels.js';
import { beginSession, createTestOperator, type TestOperator } from '../../support/operators.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

interface LivePage {
  status: number;
  headers: Headers;
  topics: Set<string>;
  ended: Promise<void>;
  leave(): void;
}

describe('GET /admin/v1/live', () => {
  const heliograph = suiteApp();
  let url: string;
  let account: TestAccount;
  let operator: TestOperator;

  beforeAll(async () => {
    url = await heliograph.app.listen({ port: 0, host: '127.0.0.1' });
  });
  beforeEach(async () => {
    account = await createTestAccount(heliograph.deps);
    operator = await createTestOperator(heliograph, { role: 'viewer', accountId: account.id });
  });

  async function watch(
    accountId: string | null = account.id,
    { serverUrl = url, watcher = operator } = {},
  ): Promise<LivePage> {
    const abort = new AbortController();
    const query = accountId === null ? '' : `?accountId=${accountId}`;
    const { cookie } = watcher.headers;
    const response = await fetch(`${serverUrl}/admin/v1/live${query}`, { headers: { cookie }, signal: abort.signal });
    const topics = new Set<string>();
    const read = async () => {
      if (response.status !== 200 || !response.body) return;
      let unfinishedLine = '';
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        // A chunk of the stream may end in the middle of a line.
        const lines = (unfinishedLine + chunk).split('\n');
        unfinishedLine = lines.pop() as string;
        for (const line of lines) {
          const [, data] = /^data: ?(\{.*\})$/.exec(line) ?? [];
          for (const topic of data === undefined ? [] : JSON.parse(data).topics) topics.add(topic);
        }
      }
    };
    const { status, headers } = response;
    return { status, headers, topics, ended: read().catch(() => undefined), leave: () => abort.abort() };
  }
  const waitForTopic = (page: LivePage, topic: string) =>
    waitFor(`the page to receive ${topic}`, async () => page.topics.has(topic));

  it('notifies pages of an account about sends of any process, but no pages of other accounts', async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    const otherOperator = await createTestOperator(heliograph, { role: 'viewer', accountId: otherAccount.id });
    const worker = await testApp({ sharesWith: heliograph, role: 'worker' });
    const [page, otherPage] = [await watch(), await watch(otherAccount.id, { watcher: otherOperator })];
    try {
      expect([page.status, otherPage.status]).toEqual([200, 200]);
      await accept(worker.deps, account);
      await waitForTopic(page, 'messages');
      expect(page.topics).toContain('overview');
      // After ten seconds, a page receives the topic `*`, because all data on the page counts as stale.
      expect([...otherPage.topics].filter((topic) => topic !== '*')).toEqual([]);
    } finally {
      page.leave();
      otherPage.leave();
      await worker.close();
    }
    await waitFor('all pages to be closed', async () => heliograph.deps.liveListener.watchers === 0);
  });

  it('notifies pages without an account about the accounts the operator has a role for', async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    const otherOperator = await createTestOperator(heliograph, { role: 'viewer', accountId: otherAccount.id });
    const installation = await createTestOperator(heliograph, { role: 'viewer' });
    const pages = [
      await watch(null, { watcher: otherOperator }),
      await watch(null),
      await watch(null, { watcher: installation }),
    ] as const;
    const [otherPage, ownPage, installationPage] = pages;
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
    await accept(heliograph.deps, account);
    await waitForTopic(ownPage, 'messages');
    await waitForTopic(installationPage, 'messages');
    expect(otherPage.topics).not.toContain('messages');
    await accept(heliograph.deps, otherAccount);
    await waitForTopic(otherPage, 'messages');
    for (const page of pages) page.leave();
  });

  it('has the headers of every response', async () => {
    const page = await watch();
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'cache-control': expect.stringContaining('no-transform'),
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-type': 'text/event-stream',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-request-id': expect.stringMatching(/./),
    });
    page.leave();
  });

  const getPrisma = () => heliograph.deps.prisma;
  it.each<[string, () => Promise<unknown>]>([
    ['who signs out', () => getPrisma().operatorSession.deleteMany({ where: { operatorId: operator.id } })],
    ['who is disabled', () => getPrisma().operator.update({ where: { id: operator.id }, data: { isActive: false } })],
    ['who loses the role', () => getPrisma().operatorGrant.deleteMany({ where: { operatorId: operator.id } })],
  ])('ends within seconds for an operator %s, even without a notification', async (_, loseAccess) => {
    const pages = [await watch(), await watch(null)];
    let openCount = pages.length;
    for (const { ended } of pages) void ended.then(() => (openCount -= 1));
    await loseAccess();
    // At least every ten seconds, the server notifies each page, even without a change.
    await waitFor('the streams to end', () => openCount === 0);
  });

  it('stops notifying a page of an account when its operator loses the role for it', async () => {
    const pages = [await watch(), await watch(null)];
    await heliograph.deps.prisma.operatorGrant.deleteMany({ where: { operatorId: operator.id } });
    await accept(heliograph.deps, account);
    for (const { ended, topics } of pages) {
      await ended;
      expect(topics).not.toContain('messages');
    }
  });

  it('notifies pages about changes by requests and about inbound messages', async () => {
    const channel = await createTestChannel(heliograph.deps, account);
    const page = await watch();
    const payload = { phone: '15005550123', name: 'Ada' };
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/api/v1/contacts',
      headers: channel.headers,
      payload,
    });
    expect(response.statusCode).toBeLessThan(300);
    await waitForTopic(page, '*');
    page.leave();
  });

  it('notifies pages of the account about webhook deliveries, and all pages about carriers', async () => {
    const owner = await createTestOperator(heliograph);
    const webhookBody = { url: 'https://example.com/hook', events: ['message.status'] };
    const { data } = (await owner.ask('POST', `/accounts/${account.id}/webhooks`, webhookBody)).json();
    const { prisma } = heliograph.deps;
    // The endpoint refuses the connection, which still counts as an attempt.
    await prisma.webhook.update({ where: { id: data.id }, data: { url: 'http://127.0.0.1:9/' } });
    const otherAccount = await createTestAccount(heliograph.deps);
    const otherOperator = await createTestOperator(heliograph, { role: 'viewer', accountId: otherAccount.id });
    const [page, otherPage] = [await watch(), await watch(otherAccount.id, { watcher: otherOperator })];
    await prisma.webhookDelivery.create({
      data: { id: newId(), webhookId: data.id, type: 'webhook.test', data: {}, occurredAt: new Date() },
    });
    await waitForTopic(page, 'webhooks');
    expect(page.topics).not.toContain('messages');
    const carrier = { name: 'nowhere', type: 'smpp', settings: { host: '127.0.0.1', port: 1, systemId: 'x' } };
    expect((await owner.ask('POST', '/carriers', carrier)).statusCode).toBe(200);
    await waitForTopic(page, 'carriers');
    await waitForTopic(otherPage, 'carriers');
    expect(otherPage.topics).not.toContain('webhooks');
    await owner.ask('DELETE', '/carriers/nowhere');
    page.leave();
    otherPage.leave();
  });

  it('refuses an account the operator has no role for, and callers who are not signed in', async () => {
    const { id } = await createTestAccount(heliograph.deps);
    expect((await watch(id)).status).toBe(404);
    expect((await fetch(`${url}/admin/v1/live`)).status).toBe(401);
  });

  it('allows at most twenty pages per session', async () => {
    const pages: LivePage[] = [];
    for (let index = 0; index < 21; index += 1) pages.push(await watch());
    expect(pages.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429]);
    for (const page of pages) page.leave();
    await waitFor('all pages to be closed', async () => heliograph.deps.liveListener.watchers === 0);
    const newPage = await watch();
    expect(newPage.status).toBe(200);
    newPage.leave();
  });

  it('allows forty pages per operator across all sessions, and names the limit', async () => {
    const sessions = await Promise.all(Array.from({ length: 3 }, () => beginSession(heliograph.deps, operator.id)));
    const watchBy = ({ token }: { token: string }) =>
      watch(account.id, { watcher: { ...operator, headers: { ...operator.headers, cookie: `heliograph=${token}` } } });
    const pages = await Promise.all(sessions.flatMap((session) => Array.from({ length: 18 }, () => watchBy(session))));
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(40);
    const session = sessions[0] as { token: string };
    const refusal = await fetch(`${url}/admin/v1/live`, { headers: { cookie: `heliograph=${session.token}` } });
    expect([refusal.status, await refusal.text()]).toEqual([
      429,
      expect.stringContaining('an operator may have 40 in all browsers'),
    ]);
    for (const page of pages) page.leave();
    await waitFor('all pages to be closed', async () => heliograph.deps.liveListener.watchers === 0);
  });

  describe('with limits of two streams per account and three in total', () => {
    const settings = { CONSOLE_STREAMS_PER_ACCOUNT: '2', CONSOLE_STREAMS_PER_PROCESS: '3' };

    it('refuses a third stream of an account and a fourth in total', async () => {
      const limitedApp = await testApp({ sharesWith: heliograph, role: 'api', settings });
      const pages: LivePage[] = [];
      try {
        const limitedUrl = await limitedApp.app.listen({ port: 0, host: '127.0.0.1' });
        const openPage = async (accountId: string | null) => {
          const page = await watch(accountId, { serverUrl: limitedUrl });
          pages.push(page);
          return page.status;
        };
        const getRefusal = async (query: string) => {
          const { cookie } = operator.headers;
          return (await fetch(`${limitedUrl}/admin/v1/live${query}`, { headers: { cookie } })).text();
        };
        expect([await openPage(account.id), await openPage(account.id), await openPage(account.id)]).toEqual([
          200, 200, 429,
        ]);
        expect(await getRefusal(`?accountId=${account.id}`)).toContain('pages of this account are open: it may have 2');
        expect([await openPage(null), await openPage(null)]).toEqual([200, 429]);
        expect(await getRefusal('')).toContain('on this server: it may have 3');
        for (const page of pages.splice(0)) page.leave();
        await waitFor('the streams to be released', async () => limitedApp.deps.liveListener.watchers === 0);
        expect(await openPage(account.id)).toBe(200);
      } finally {
        for (const page of pages) page.leave();
        await limitedApp.close();
      }
    });
  });

  it('does not exceed the limit with concurrent requests', async () => {
    const pages = await Promise.all(Array.from({ length: 60 }, () => watch()));
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(pages.filter(({ status }) => status === 429)).toHaveLength(40);
    for (const page of pages) page.leave();
    await waitFor('all pages to be closed', async () => heliograph.deps.liveListener.watchers === 0);
  });

  it('sends no notifications without open pages, and uses one connection for all pages', async () => {
    const countListeners = async () => {
      const { rows } = await heliograph.deps.pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return rows[0]?.count;
    };
    await waitFor('the listener to disconnect', async () => (await countListeners()) === 0);
    const pages = [await watch(), await watch(null)];
    expect(await countListeners()).toBe(1);
    for (const page of pages) page.leave();
    await waitFor('the listener to disconnect', async () => (await countListeners()) === 0);
  });

  it('ends when the process loses its PostgreSQL connection, and can be reopened', async () => {
    const page = await watch();
    await heliograph.deps.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await page.ended;
    const newPage = await watch();
    expect(newPage.status).toBe(200);
    await accept(heliograph.deps, account);
    await waitForTopic(newPage, 'messages');
    newPage.leave();
  });

  it('ends with the process, which does not wait for open pages', async () => {
    const secondApp = await testApp({ sharesWith: heliograph, role: 'api' });
    const secondUrl = await secondApp.app.listen({ port: 0, host: '127.0.0.1' });
    const page = await watch(account.id, { serverUrl: secondUrl });
    expect(page.status).toBe(200);
    await secondApp.close();
    await page.ended;
  });
});
