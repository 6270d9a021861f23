import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { createAutomation, receiveText, triggerAutomation } from '../../../support/automations.js';
import { call } from '../../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { suiteApp } from '../../../support/suite.js';

const START = '2027-01-15T12:00:00.000Z';
const PHONE = '4915112345678';
const WAIT = { type: 'wait', seconds: 60 };

const clock = new ManualClock(START);
const test = suiteApp({ role: 'api', clock });
let channel: TestChannel;

const request = async (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) => {
  const response = await call(test, channel, method, `/automations${url}`, payload);
  return { status: response.statusCode, body: response.json() };
};

// Without a worker, runs stay unchanged.
beforeEach(async () => {
  clock.set(START);
  channel = await createTestChannel(test.deps);
});

describe('runs of an automation for one contact', () => {
  const countRuns = async (id: string) => (await request('GET', `/${id}/runs`)).body.data.total;

  it('do not overlap, however often its keyword arrives', async () => {
    const id = await createAutomation(test, channel, [WAIT], { keyword: 'start', cooldownSeconds: 0 });
    await receiveText(test.deps, channel, PHONE, 'Start');
    await Promise.all(Array.from({ length: 5 }, () => receiveText(test.deps, channel, PHONE, 'start')));
    expect(await countRuns(id)).toBe(1);
    await receiveText(test.deps, channel, '4915187654321', 'start');
    expect(await countRuns(id)).toBe(2);

    const completedRun = { status: 'completed', dueAt: null, completedAt: clock.now() } as const;
    await test.deps.prisma.automationRun.updateMany({ where: { automationId: id }, data: completedRun });
    clock.advance(1);
    await receiveText(test.deps, channel, PHONE, 'start');
    expect(await countRuns(id)).toBe(3);
  });

  it('are not started again during the cooldown, even after the run has ended', async () => {
    const id = await createAutomation(test, channel, [WAIT], { keyword: 'start', cooldownSeconds: 300 });
    await receiveText(test.deps, channel, PHONE, 'start');
    const completedRun = { status: 'completed', dueAt: null, completedAt: clock.now() } as const;
    await test.deps.prisma.automationRun.updateMany({ where: { automationId: id }, data: completedRun });
    clock.advance(299_999);
    await receiveText(test.deps, channel, PHONE, 'start');
    expect(await countRuns(id)).toBe(1);
    clock.advance(1);
    await receiveText(test.deps, channel, PHONE, 'start');
    expect(await countRuns(id)).toBe(2);
  });

  it('cannot be triggered during another run unless the request allows it', async () => {
    const id = await createAutomation(test, channel, [WAIT]);
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => request('POST', `/${id}/trigger`, { phone: PHONE })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const conflict = responses.find(({ status }) => status === 409);
    expect(conflict?.body.error).toMatchObject({ code: 'CONFLICT', message: expect.stringMatching(/under way/) });
    await triggerAutomation(test, channel, id, { phone: PHONE, concurrent: true });
    await triggerAutomation(test, channel, id, { phone: PHONE, concurrent: true });
    expect(await countRuns(id)).toBe(3);
    expect((await request('POST', `/${id}/trigger`, { phone: PHONE, concurrent: 1 })).status).toBe(400);
  });

  it('do not start while the automation is disabled', async () => {
    const id = await createAutomation(test, channel, [WAIT], { keyword: 'start', cooldownSeconds: 0 });
    expect((await request('PUT', `/${id}`, { isActive: false })).body.data).toMatchObject({ isActive: false });
    await receiveText(test.deps, channel, PHONE, 'start');
    const refusal = await request('POST', `/${id}/trigger`, { phone: PHONE });
    expect(refusal.status).toBe(409);
    expect(refusal.body.error.message).toBe('The automation is switched off.');
    expect(await countRuns(id)).toBe(0);
    await request('PUT', `/${id}`, { isActive: true });
    await receiveText(test.deps, channel, PHONE, 'start');
    expect(await countRuns(id)).toBe(1);
  });
});

describe('POST /api/v1/automations/:id/runs/:runId/cancel', () => {
  it('cancels a run once, returns 409 afterwards, and lets another one start', async () => {
    const id = await createAutomation(test, channel, [WAIT]);
    const { id: runId } = await triggerAutomation(test, channel, id, { phone: PHONE });
    const { status, body } = await request('POST', `/${id}/runs/${runId}/cancel`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id: runId, status: 'canceled', errorMessage: null, completedAt: START });
    const repeatedResponse = await request('POST', `/${id}/runs/${runId}/cancel`);
    expect(repeatedResponse.status).toBe(409);
    expect(repeatedResponse.body.error.message).toBe('The run is canceled already.');
    expect((await request('GET', `/${id}/runs?status=canceled`)).body.data.total).toBe(1);
    expect((await request('GET', `/${id}/runs?status=failed`)).body.data.total).toBe(0);
    await triggerAutomation(test, channel, id, { phone: PHONE });
  });

  it('returns 404 for a run of another automation, and for an unknown one', async () => {
    const id = await createAutomation(test, channel, [WAIT]);
    const otherAutomation = await createAutomation(test, channel, [WAIT]);
    const { id: runId } = await triggerAutomation(test, channel, otherAutomation, { phone: PHONE });
    for (const wrongId of [runId, newId(), 'unknown']) {
      expect((await request('POST', `/${id}/runs/${wrongId}/cancel`)).status).toBe(404);
    }
  });
});
