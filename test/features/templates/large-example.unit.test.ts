import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Carrier } from '../../../src/carriers/carrier.js';
import { type ExampleOptions, uploadExample } from '../../../src/features/templates/examples.js';

// V8 stops optimizing further regular expressions once a process has compiled many of them.
beforeAll(() => setFlagsFromString('--no-regexp-optimization'));
afterAll(() => setFlagsFromString('--regexp-optimization'));

it('an example of 16 MB is accepted in a process that no longer optimizes regular expressions', async () => {
  const carrier = { uploadExample: async () => 'handle' } as unknown as Carrier;
  const carriers: ExampleOptions['carriers'] = { get: () => carrier };
  const channel = {
    kind: 'whatsapp',
    carrier: 'meta',
    carrierSettings: {},
    id: 'channel',
    accountId: 'account',
  } as const;
  const file = Buffer.concat([Buffer.from('....ftypisom....'), Buffer.alloc(16 * 1024 * 1024 - 16)]);
  const uploadedExample = await uploadExample({ carriers }, channel as never, { data: file.toString('base64') });
  expect(uploadedExample).toEqual({ handle: 'handle', type: 'video/mp4', size: file.length });
});
