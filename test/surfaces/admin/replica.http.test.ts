import { expect, it, onTestFinished } from 'vitest';
import { freezingProxy } from '../../../chaos/world/freezing-proxy.mjs';
import { createTestAccount } from '../../support/accounts.js';
import { createTestOperator } from '../../support/operators.js';
import { accept } from '../../support/sends.js';
import { createTestDatabase } from '../../support/store/databases.js';
import { testApp } from '../../support/test-app.js';

it('the console reads lists, overviews and exports from DATABASE_READ_URL, and from the primary if that is unavailable', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const proxy = await freezingProxy(url);
  const settings = { DATABASE_URL: url, DATABASE_READ_URL: proxy.url };
  const heliograph = await testApp({ role: 'api', settings });
  onTestFinished(async () => {
    await heliograph.close();
    await proxy.close();
  });
  const account = await createTestAccount(heliograph.deps);
  const operator = await createTestOperator(heliograph);
  const [id] = await accept(heliograph.deps, account);
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const requestLists = async () => {
    const paths = ['messages', 'inbound', 'ledger', 'audit', `overview?from=${anHourAgo}`];
    const responses = await Promise.all(
      [...paths.map((path) => `/accounts/${account.id}/${path}`), '/audit', `/overview?from=${anHourAgo}`].map((path) =>
        operator.ask('GET', path),
      ),
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(responses.map(() => 200));
    return responses[0]?.json().data;
  };

  const queriesBefore = proxy.connectionAttempts;
  expect(await requestLists()).toMatchObject([{ id }]);
  expect(proxy.connectionAttempts).toBeGreaterThan(queriesBefore);
  await proxy.refuse();
  expect(await requestLists()).toMatchObject([{ id }]);
  await proxy.accept();
});

it('the server does not start with a replica of another database, but starts if the replica is unavailable', async () => {
  const [primary, otherDatabase] = [await createTestDatabase(), await createTestDatabase()];
  onTestFinished(async () => {
    await primary.drop();
    await otherDatabase.drop();
  });
  const openApp = (readUrl: string) =>
    testApp({ role: 'api', settings: { DATABASE_URL: primary.url, DATABASE_READ_URL: readUrl } });
  await expect(openApp(otherDatabase.url)).rejects.toThrow(
    'DATABASE_READ_URL and DATABASE_URL lead to different databases. They must lead to the same one.',
  );
  const proxy = await freezingProxy(primary.url);
  await proxy.refuse();
  const heliograph = await openApp(proxy.url);
  onTestFinished(() => heliograph.close());
  expect(await heliograph.deps.reads(async ({ pool }) => pool === heliograph.deps.pool)).toBe(true);
});
