import { describe, expect, it } from 'vitest';
import { eraseLinks } from '../../../src/features/links/link-store.js';
import { sweepLinks } from '../../../src/features/links/sweep-store.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createTestAccount } from '../../support/accounts.js';
import { createLink, readClicks, TARGET, visit } from '../../support/links.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { suiteApp } from '../../support/suite.js';

const clock = new ShiftedClock();
const heliograph = suiteApp({ role: 'api', clock, settings: { MESSAGE_RETENTION_DAYS: '30' } });
const DAY_MS = 24 * 60 * 60 * 1000;

describe('GET /l/{code}', () => {
  it('redirects to the target, without a cookie, a cache or a referrer', async () => {
    const { code } = await createLink(heliograph, await createTestAccount(heliograph.deps));
    const response = await visit(heliograph, `/l/${code}?fbclid=1`);
    expect(response.statusCode).toBe(302);
    expect(response.headers).toMatchObject({
      location: TARGET,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    });
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(response.body).toBe('');
  });

  it.each(['/l/AAAAAAAAAA', '/l/', '/l/AAAAAAAAAA/x', '/l/%3Cscript%3E', '/l/https://evil.example/'])(
    'responds with 404 to %s, and repeats nothing of it',
    async (path) => {
      const response = await visit(heliograph, path);
      expect(response.statusCode).toBe(404);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(response.body).toContain('This link does not exist.');
      expect(response.body).not.toMatch(/AAAA|script|evil/);
    },
  );

  it('counts people once per click, and bots, link previews and HEAD requests separately', async () => {
    const { code } = await createLink(heliograph, await createTestAccount(heliograph.deps));
    const before = clock.now();
    for (const agent of [
      'WhatsApp/2.23.20.0',
      'facebookexternalhit/1.1',
      'Slackbot-LinkExpanding 1.0',
      'Twitterbot/1.0',
      '',
    ]) {
      expect((await visit(heliograph, `/l/${code}`, { agent })).statusCode).toBe(302);
    }
    await visit(heliograph, `/l/${code}`, { headers: { 'sec-purpose': 'prefetch;prerender' } });
    expect((await visit(heliograph, `/l/${code}`, { method: 'HEAD' })).headers.location).toBe(TARGET);
    expect(await readClicks(heliograph, code)).toEqual({
      ...{ clicks: 0, botClicks: 7, firstClickedAt: null, lastClickedAt: null },
    });
    await Promise.all(Array.from({ length: 20 }, () => visit(heliograph, `/l/${code}`)));
    const counted = await readClicks(heliograph, code);
    expect(counted).toMatchObject({ clicks: 20, botClicks: 7 });
    expect(counted.firstClickedAt?.getTime()).toBeGreaterThanOrEqual(before.getTime() - 1);
  });

  it('responds with 410 after the retention of messages, before and after the link is deleted', async () => {
    const { code } = await createLink(heliograph, await createTestAccount(heliograph.deps));
    expect((await visit(heliograph, `/l/${code}`)).statusCode).toBe(302);
    clock.advance(30 * DAY_MS + 1_000);
    expect((await visit(heliograph, `/l/${code}`)).statusCode).toBe(410);
    const { pool, prisma } = heliograph.deps;
    const sweep = (now: Date) => sweepLinks({ pool, now, step: 100, isStopped: () => false, retentionDays: 30 });
    await sweep(clock.now());
    expect(await prisma.link.count({ where: { code } })).toBe(0);
    const response = await visit(heliograph, `/l/${code}`);
    expect([response.statusCode, response.body.includes('has expired')]).toEqual([410, true]);
    await sweep(new Date(clock.now().getTime() + 401 * DAY_MS));
    expect(await prisma.expiredLink.count({ where: { code } })).toBe(0);
    clock.advance(-30 * DAY_MS - 1_000);
  });

  it('responds with 404 once the person was erased', async () => {
    const { code, messageId } = await createLink(heliograph, await createTestAccount(heliograph.deps));
    await inTransaction(heliograph.deps.pool, (client) => eraseLinks(client, [messageId]));
    expect((await visit(heliograph, `/l/${code}`)).statusCode).toBe(404);
  });
});
