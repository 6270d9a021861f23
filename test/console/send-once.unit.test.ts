import { beforeEach, expect, it } from 'vitest';
import { ApiError } from '../../console/src/api/client/request.js';
import { createSendOnce, memoryStorage, type TextStorage } from '../../console/src/api/client/send-once.js';

let storage: TextStorage;
const keys: string[] = [];
const createSend = (error?: Error) => (key: string) => {
  keys.push(key);
  return error ? Promise.reject(error) : Promise.resolve('sent');
};
const unreachable = new ApiError(0, 'UNREACHABLE', 'The server does not respond.');

beforeEach(() => {
  storage = memoryStorage();
  keys.length = 0;
});

it('a request whose response was lost is repeated with the same key, also after a reload', async () => {
  await expect(createSendOnce(storage)(['Hello', null], createSend(unreachable))).rejects.toBe(unreachable);
  await expect(
    createSendOnce(storage)(['Hello', null], createSend(new ApiError(503, 'UNAVAILABLE', 'Later.'))),
  ).rejects.toThrow();
  expect(await createSendOnce(storage)(['Hello', null], createSend())).toBe('sent');
  expect(new Set(keys).size).toBe(1);
  await createSendOnce(storage)(['Hello', null], createSend());
  expect(new Set(keys).size).toBe(2);
});

it('the key is kept even if the stored text is cleared while waiting for the response', async () => {
  const clearAndSend = (key: string) => {
    storage.write('');
    return createSend(unreachable)(key);
  };
  await expect(createSendOnce(storage)('Hello', clearAndSend)).rejects.toBe(unreachable);
  await createSendOnce(storage)('Hello', createSend());
  expect(new Set(keys).size).toBe(1);
});

it.each([
  ['the content has changed', unreachable, 'Hello?'],
  ['the server refused the request', new ApiError(400, 'INVALID_REQUEST', 'No.'), 'Hello'],
])('a new key is used when %s', async (_, error, nextContent) => {
  await expect(createSendOnce(storage)('Hello', createSend(error))).rejects.toBe(error);
  await createSendOnce(storage)(nextContent, createSend());
  expect(new Set(keys).size).toBe(2);
});
