import { hashKey, type Query } from '@tanstack/react-query';

/**
 * Query options that keep showing previous data while new data loads, unless the `scope` (such as the account) has changed. An
 * account's numbers must never appear under another account's name.
 */
export function keepPreviousWithin(scope: unknown) {
  const scopeHash = hashKey([scope]);
  return {
    meta: { within: scopeHash },
    placeholderData: <T>(previousData: T | undefined, previousQuery: Pick<Query, 'meta'> | undefined): T | undefined =>
      previousQuery?.meta?.within === scopeHash ? previousData : undefined,
  };
}
