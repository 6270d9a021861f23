import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packIds, unpackIds } from '../../../src/messages/queue/packed-ids.js';
import { newId } from '../../../src/platform/ids.js';

it('packed IDs are unpacked in order', () => {
  fc.assert(
    fc.property(fc.array(fc.uuid(), { minLength: 1, maxLength: 100 }), (ids) => {
      expect(unpackIds(packIds(ids))).toEqual(ids);
    }),
  );
  const id = newId();
  expect(unpackIds(packIds([id]))).toEqual([id]);
  expect(unpackIds(packIds([id, id]))).toEqual([id, id]);
});

it('a hundred IDs created together fit into a row without TOAST', () => {
  const packedIds = packIds(Array.from({ length: 100 }, newId));
  expect(JSON.stringify(packedIds).length).toBeLessThan(1_800);
});
