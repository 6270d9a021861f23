import { beforeEach, expect, it } from 'vitest';
import { inMemory, type Kept, onceWith } from '../../console/src/api/asking/once-with.js';
import { ApiError } from '../../console/src/api/asking/request.js';

let kept: Kept;
const keys: string[] = [];
const send = (error?: Error) => (key: string) => {
  keys.push(key);
  return error ? Promise.reject(error) : Promise.resolve('sent');
};
const lost = new ApiError(0, 'UNREACHABLE', 'No answer came.');

beforeEach(() => {
  kept = inMemory();
  keys.length = 0;
});

it('sends under the same key what is sent again from a page that was opened anew, after its answer was lost', async () => {
  await expect(onceWith(kept)(['Hello', null], send(lost))).rejects.toBe(lost);
  await expect(onceWith(kept)(['Hello', null], send(new ApiError(503, 'UNAVAILABLE', 'Later.')))).rejects.toThrow();
  expect(await onceWith(kept)(['Hello', null], send())).toBe('sent');
  expect(new Set(keys).size).toBe(1);
  // That one is answered, so the next is another.
  await onceWith(kept)(['Hello', null], send());
  expect(new Set(keys).size).toBe(2);
});

it('knows the key again where what is kept was emptied while the answer was awaited', async () => {
  const emptied = (key: string) => {
    kept.write('');
    return send(lost)(key);
  };
  await expect(onceWith(kept)('Hello', emptied)).rejects.toBe(lost);
  await onceWith(kept)('Hello', send());
  expect(new Set(keys).size).toBe(1);
});

it.each([
  ['its contents are other ones', lost, 'Hello?'],
  ['the server refused it', new ApiError(400, 'INVALID_REQUEST', 'No.'), 'Hello'],
])('takes another key where %s', async (_, error, said) => {
  await expect(onceWith(kept)('Hello', send(error))).rejects.toBe(error);
  await onceWith(kept)(said, send());
  expect(new Set(keys).size).toBe(2);
});
