import { expect, it } from 'vitest';
import { addCommittedHints } from '../../../src/messages/accept/committed-hints.js';
import type { PendingRequest } from '../../../src/messages/accept/pending-request.js';
import { buildJobs, type DueMessage } from '../../../src/messages/queue/jobs.js';
import { LaneOrder } from '../../../src/messages/queue/lane-order.js';
import { newId } from '../../../src/platform/ids.js';
import { Turns } from '../../../src/platform/turns.js';

const ACCOUNT = '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55';

function createRequest(size: number): PendingRequest {
  return {
    ids: Array.from({ length: size }, () => newId()),
    request: { account: { id: ACCOUNT }, priority: 0, carrier: 'simulator' },
  } as unknown as PendingRequest;
}

async function countJobs(requests: readonly PendingRequest[]): Promise<number> {
  const hints: DueMessage[] = [];
  const add = async (messages: readonly DueMessage[]) => {
    hints.push(...messages);
    return true;
  };
  await addCommittedHints({ hints: { add }, turns: new Turns() }, requests);
  return buildJobs(hints, new LaneOrder(), () => null).length;
}

it('messages of many small requests share a job, and a large request gets small jobs', async () => {
  expect(await countJobs(Array.from({ length: 300 }, () => createRequest(1)))).toBe(1);
  expect(await countJobs([createRequest(300)])).toBe(3);
});
