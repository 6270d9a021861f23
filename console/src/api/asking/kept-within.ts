import { hashKey, type Query } from '@tanstack/react-query';

/**
 * For a query that shows what it showed before until the new answer is there: only where that was of the same thing. Another
 * account's numbers would stand under the name of this one.
 * @param what account, channel and the like: all but the filters
 */
export function keptWithin(what: unknown) {
  const within = hashKey([what]);
  return {
    meta: { within },
    placeholderData: <T>(shown: T | undefined, before: Pick<Query, 'meta'> | undefined): T | undefined =>
      before?.meta?.within === within ? shown : undefined,
  };
}
