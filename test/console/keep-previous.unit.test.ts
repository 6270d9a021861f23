import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { keepPreviousWithin } from '../../console/src/api/client/keep-previous.js';

it('previous data is shown while new filters load, but never for another account', async () => {
  const client = new QueryClient();
  const never = new Promise<string>(() => undefined);
  const options = (account: string, range: string) => ({
    queryKey: ['overview', account, range],
    queryFn: () => (account === 'a' && range === 'day' ? Promise.resolve('of a, a day') : never),
    ...keepPreviousWithin({ account }),
  });
  const observer = new QueryObserver(client, options('a', 'day'));
  const loaded = new Promise<void>((resolve) => {
    observer.subscribe(({ data }) => data && resolve());
  });
  await loaded;
  observer.setOptions(options('a', 'week'));
  expect(observer.getCurrentResult()).toMatchObject({ data: 'of a, a day', isPlaceholderData: true });
  observer.setOptions(options('b', 'week'));
  expect(observer.getCurrentResult()).toMatchObject({ data: undefined, isPlaceholderData: false });
  observer.destroy();
  client.clear();
});
