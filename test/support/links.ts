import { insertLinks } from '../../src/features/links/link-store.js';
import { createCode } from '../../src/features/links/shortening/codes.js';
import { inTransaction } from '../../src/platform/store/connections/pool.js';
import type { TestAccount } from './accounts.js';
import { accept } from './sends.js';
import type { TestApp } from './test-app.js';

export const TARGET = 'https://shop.example/offers?id=7';

/** Agent of an ordinary browser. */
export const BROWSER =
  'Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36';

/** Accepts an SMS with a short link, as a campaign does. */
export async function createLink(
  { deps }: Pick<TestApp, 'deps'>,
  account: TestAccount,
  { to, target = TARGET, campaignId = null }: { to?: string; target?: string; campaignId?: string | null } = {},
): Promise<{ code: string; messageId: string }> {
  const code = createCode();
  const [messageId] = (await accept(deps, account, { ...(to && { to }), body: `See ${code}` })) as [string];
  await inTransaction(deps.pool, (client) =>
    insertLinks(client, [{ messageId, accountId: account.id, channelId: null, campaignId, links: [{ code, target }] }]),
  );
  return { code, messageId };
}

export async function visit(
  { app }: Pick<TestApp, 'app'>,
  path: string,
  { agent = BROWSER, host = 'localhost', method = 'GET' as 'GET' | 'HEAD', headers = {} } = {},
) {
  return app.inject({ method, url: path, headers: { 'user-agent': agent, host, ...headers } });
}

/** Counts of the link, after the clicks so far were written. */
export async function readClicks({ deps }: Pick<TestApp, 'deps'>, code: string) {
  await deps.links.clicks.flush();
  const { clicks, botClicks, firstClickedAt, lastClickedAt } = await deps.prisma.link.findUniqueOrThrow({
    where: { code },
  });
  return { clicks, botClicks, firstClickedAt, lastClickedAt };
}
