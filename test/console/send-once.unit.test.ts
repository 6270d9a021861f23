import { beforeEach, expect, it } from 'vitest';
import { ApiError } from '../../console/src/api/client/request.js';
import { createSendOnce, memoryStorage, type TextStorage } from '../../console/src/api/client/send-once.js';

let storage: TextStorage;
const keys: string[] = [];
const send = (error?: Error) => (key: string) => {
  keys.push(key);
  return error ? Promise.reject(error) : Promise.resolve('sent');
};
const unreachable = new ApiError(0, 'UNREACHABLE', 'The server does not respond.');

beforeEach(() => {
  storage = memoryStorage();
  keys.length = 0;
});

it('a request whose response was lost is repeated with the same key, also after a reload', async () => {
  await expect(createSendOnce(storage)(['Hello', null], send(unreachable))).rejects.toBe(unreachable);
  await expect(
    createSendOnce(storage)(['Hello', null], send(new ApiError(503, 'UNAVAILABLE', 'Later.'))),
  ).rejects.toThrow();
  expect(await createSendOnce(storage)(['Hello', null], send())).toBe('sent');
  expect(new Set(keys).size).toBe(1);
  await createSendOnce(storage)(['Hello', null], send());
  expect(new Set(keys).size).toBe(2);
});

it('the key is kept even if the stored text is cleared while waiting for the response', async () => {
  const emptied = (key: string) => {
    storage.write('');
    return send(unreachable)(key);
  };
  await expect(createSendOnce(storage)('Hello', emptied)).rejects.toBe(unreachable);
  await createSendOnce(storage)('Hello', send());
  expect(new Set(keys).size).toBe(1);
});

it.each([
  ['the content has changed', unreachable, 'Hello?'],
  ['the server refused the request', new ApiError(400, 'INVALID_REQUEST', 'No.'), 'Hello'],
])('a new key is used when %s', async (_, error, nextContent) => {
  await expect(createSendOnce(storage)('Hello', send(error))).rejects.toBe(error);
  await createSendOnce(storage)(nextContent, send());
  expect(new Set(keys).size).toBe(2);
});
