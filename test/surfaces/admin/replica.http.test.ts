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
  const hour = new Date(Date.now() - 3_600_000).toISOString();
  const lists = async () => {
    const paths = ['messages', 'inbound', 'ledger', 'audit', `overview?from=${hour}`];
    const answers = await Promise.all(
      [...paths.map((path) => `/accounts/${account.id}/${path}`), '/audit', `/overview?from=${hour}`].map((path) =>
        operator.ask('GET', path),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
    return answers[0]?.json().data;
  };

  const before = proxy.connectionAttempts;
  expect(await lists()).toMatchObject([{ id }]);
  expect(proxy.connectionAttempts).toBeGreaterThan(before);
  await proxy.refuse();
  expect(await lists()).toMatchObject([{ id }]);
  await proxy.accept();
});

it('the server does not start with a replica of another store, but starts without an unavailable one', async () => {
  const [own, other] = [await createTestDatabase(), await createTestDatabase()];
  onTestFinished(async () => {
    await own.drop();
    await other.drop();
  });
  const open = (readUrl: string) =>
    testApp({ role: 'api', settings: { DATABASE_URL: own.url, DATABASE_READ_URL: readUrl } });
  await expect(open(other.url)).rejects.toThrow(
    'DATABASE_READ_URL and DATABASE_URL lead to different databases. They must lead to the same one.',
  );
  const proxy = await freezingProxy(own.url);
  await proxy.refuse();
  const heliograph = await open(proxy.url);
  onTestFinished(() => heliograph.close());
  expect(await heliograph.deps.reads(async ({ pool }) => pool === heliograph.deps.pool)).toBe(true);
});
