import { hashKey, type Query } from '@tanstack/react-query';

/**
 * Query options that show the previous data until the new data has loaded, but only within the same account or channel. One
 * account's numbers must never appear under another account's name.
 * @param scope everything that identifies the data, except filters
 */
export function keptWithin(scope: unknown) {
  const within = hashKey([scope]);
  return {
    meta: { within },
    placeholderData: <T>(previousData: T | undefined, previousQuery: Pick<Query, 'meta'> | undefined): T | undefined =>
      previousQuery?.meta?.within === within ? previousData : undefined,
  };
}
