import { beforeEach, expect, it } from 'vitest';
import { inMemory, type Kept, onceWith } from '../../console/src/api/asking/once-with.js';
import { ApiError } from '../../console/src/api/asking/request.js';

let storage: Kept;
const keys: string[] = [];
const send = (error?: Error) => (key: string) => {
  keys.push(key);
  return error ? Promise.reject(error) : Promise.resolve('sent');
};
const lost = new ApiError(0, 'UNREACHABLE', 'The server does not respond.');

beforeEach(() => {
  storage = inMemory();
  keys.length = 0;
});

it('a request whose response was lost is repeated with the same key, also after a reload', async () => {
  await expect(onceWith(storage)(['Hello', null], send(lost))).rejects.toBe(lost);
  await expect(onceWith(storage)(['Hello', null], send(new ApiError(503, 'UNAVAILABLE', 'Later.')))).rejects.toThrow();
  expect(await onceWith(storage)(['Hello', null], send())).toBe('sent');
  expect(new Set(keys).size).toBe(1);
  await onceWith(storage)(['Hello', null], send());
  expect(new Set(keys).size).toBe(2);
});

it('the key is kept even if the stored text is cleared while waiting for the response', async () => {
  const emptied = (key: string) => {
    storage.write('');
    return send(lost)(key);
  };
  await expect(onceWith(storage)('Hello', emptied)).rejects.toBe(lost);
  await onceWith(storage)('Hello', send());
  expect(new Set(keys).size).toBe(1);
});

it.each([
  ['the content has changed', lost, 'Hello?'],
  ['the server refused the request', new ApiError(400, 'INVALID_REQUEST', 'No.'), 'Hello'],
])('a new key is used when %s', async (_, error, nextContent) => {
  await expect(onceWith(storage)('Hello', send(error))).rejects.toBe(error);
  await onceWith(storage)(nextContent, send());
  expect(new Set(keys).size).toBe(2);
});
