import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { createAutomation, type RunResponse, receiveText, triggerAutomation } from '../../../support/automations.js';
import { call } from '../../../support/channel-calls.js';
import { createGroup, createTemplate } from '../../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { suiteApp } from '../../../support/suite.js';

const START = '2027-01-15T12:00:00.000Z';
const PHONE = '4915112345678';
const WAIT = { type: 'wait', seconds: 60 };
const REPLY = { type: 'send_reply', message: 'Hello' };

const clock = new ManualClock(START);
const test = suiteApp({ role: 'api', clock });
let channel: TestChannel;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const request = async (method: Method, url: string, payload?: object, headers: Record<string, string> = {}) => {
  const response = await call(test, channel, method, `/automations${url}`, payload, headers);
  return { status: response.statusCode, headers: response.headers, body: response.json() };
};
const readErrorFields = ({ body }: { body: { error: { details?: { field: string }[] } } }) =>
  body.error.details?.map(({ field }) => field);

beforeEach(async () => {
  clock.set(START);
  channel = await createTestChannel(test.deps);
});

describe('POST /api/v1/automations', () => {
  it("returns the automation, with only the fields of each step's type", async () => {
    await createTemplate(test.deps, channel, { name: 'order', body: 'Order {{1}}' });
    const group = await createGroup(test.deps, channel);
    const components = [{ type: 'body', parameters: [{ type: 'text', text: '{{variables.message}}' }] }];
    const { status, body } = await request('POST', '', {
      name: ' Welcome ',
      keyword: ' Start ',
      unknown: 1,
      steps: [
        { ...REPLY, seconds: 5, unknown: 1 },
        { type: 'send_template', templateName: 'order', language: 'en_US', components },
        { ...WAIT, message: 'Hello' },
        { type: 'add_to_group', groupId: group.id.toUpperCase() },
        { type: 'remove_from_group', groupId: group.id },
      ],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'Welcome',
        keyword: 'Start',
        steps: [
          REPLY,
          { type: 'send_template', templateName: 'order', language: 'en_US', components },
          WAIT,
          { type: 'add_to_group', groupId: group.id },
          { type: 'remove_from_group', groupId: group.id },
        ],
        isActive: true,
        cooldownSeconds: 60,
        createdAt: START,
        updatedAt: START,
      },
    });
  });

  it.each([
    ['name', { name: undefined }],
    ['name', { name: ' ' }],
    ['name', { name: null }],
    ['keyword', { keyword: 5 }],
    ['keyword', { keyword: 'x'.repeat(101) }],
    ['keyword', { keyword: 'STOP' }],
    ['keyword', { keyword: ' *Unsubscribe!* ' }],
    ['isActive', { isActive: 'yes' }],
    ['cooldownSeconds', { cooldownSeconds: -1 }],
    ['cooldownSeconds', { cooldownSeconds: 30 * 86_400 + 1 }],
    ['steps', { steps: undefined }],
    ['steps', { steps: [] }],
    ['steps', { steps: Array(51).fill(WAIT) }],
    ['steps[0]', { steps: ['wait'] }],
    ['steps[0].type', { steps: [{}] }],
    ['steps[0].type', { steps: [{ type: 'sleep' }] }],
    ['steps[1].seconds', { steps: [WAIT, { type: 'wait' }] }],
    ['steps[1].seconds', { steps: [WAIT, { type: 'wait', seconds: 0 }] }],
    ['steps[1].seconds', { steps: [WAIT, { type: 'wait', seconds: 1.5 }] }],
    ['steps[1].seconds', { steps: [WAIT, { type: 'wait', seconds: '60' }] }],
    ['steps[0].seconds', { steps: [{ type: 'wait', seconds: 30 * 86_400 + 1 }] }],
    ['steps[0].message', { steps: [{ type: 'send_reply' }] }],
    ['steps[0].message', { steps: [{ type: 'send_reply', message: '' }] }],
    ['steps[0].message', { steps: [{ type: 'send_reply', message: ' \n' }] }],
    ['steps[0].message', { steps: [{ type: 'send_reply', message: 'x'.repeat(4097) }] }],
    ['steps[0].message', { steps: [{ type: 'send_reply', message: 'Hello {{contact.name}, hi' }] }],
    ['steps[0].message', { steps: [{ type: 'send_reply', message: 'Hello {{name}}' }] }],
    ['steps[0].message', { steps: [{ type: 'send_reply', message: '{{contact.id}}' }] }],
    ['steps[0].templateName', { steps: [{ type: 'send_template', language: 'en_US' }] }],
    ['steps[0].language', { steps: [{ type: 'send_template', templateName: 'hello' }] }],
    ['steps[0].groupId', { steps: [{ type: 'add_to_group' }] }],
    ['steps[0].groupId', { steps: [{ type: 'remove_from_group', groupId: 'friends' }] }],
    ['keyword', { keyword: 'start', steps: [{ type: 'send_reply', message: '{{variables.order}}' }] }],
  ])('refuses an invalid %s: %j', async (field, change) => {
    const response = await request('POST', '', { name: 'Welcome', steps: [WAIT], ...change });
    expect(response.status).toBe(400);
    expect(readErrorFields(response)).toContain(field);
    expect((await request('GET', '')).body.data.total).toBe(0);
  });

  it('accepts the longest and the shortest wait, and fifty steps', async () => {
    const steps = [{ type: 'wait', seconds: 30 * 86_400 }, ...Array(49).fill({ type: 'wait', seconds: 1 })];
    expect((await request('POST', '', { name: 'Waits', steps })).status).toBe(200);
  });

  it('returns 404 naming the step if its template or group does not exist', async () => {
    const otherChannel = await createTestChannel(test.deps, channel.account);
    await createTemplate(test.deps, otherChannel);
    const foreignGroupId = await createGroup(test.deps, otherChannel);
    for (const step of [
      { type: 'send_template', templateName: 'hello', language: 'en_US' },
      { type: 'add_to_group', groupId: newId() },
      { type: 'remove_from_group', groupId: foreignGroupId.id },
    ]) {
      const { status, body } = await request('POST', '', { name: 'Welcome', steps: [WAIT, step] });
      expect(status).toBe(404);
      expect(body.error.message).toContain('steps[1]');
    }
  });

  it('refuses parameters that do not fit the template, and a template that is not approved', async () => {
    await createTemplate(test.deps, channel, { name: 'order', body: 'Order {{1}}' });
    await createTemplate(test.deps, channel, { name: 'paused', status: 'PAUSED' });
    const templateStep = (templateName: string, ...texts: string[]) => ({
      type: 'send_template',
      templateName,
      language: 'en_US',
      components: [{ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) }],
    });
    const response = await request('POST', '', {
      name: 'Bad',
      steps: [templateStep('order', 'A', 'B'), templateStep('paused')],
    });
    expect(response.status).toBe(400);
    expect(readErrorFields(response)).toEqual(['steps[0].components[0].parameters[1]', 'steps[1].templateName']);
  });

  it('allows a keyword for one automation of a channel, ignoring case', async () => {
    await createAutomation(test, channel, [WAIT], { keyword: 'Start' });
    const repeatedResponse = await request('POST', '', { name: 'Other', keyword: ' START', steps: [WAIT] });
    expect(repeatedResponse.status).toBe(409);
    expect(repeatedResponse.body.error.code).toBe('CONFLICT');
    channel = await createTestChannel(test.deps, channel.account);
    expect((await request('POST', '', { name: 'Other', keyword: 'start', steps: [WAIT] })).status).toBe(200);
  });

  it.each([
    ['ΛΌΓΟΣ', 'λόγος'],
    ['Café', 'CAFE\u0301'],
  ])('stores the keyword %s as given, and treats %s as equal', async (keyword, equivalent) => {
    const { body } = await request('POST', '', { name: 'First', keyword: ` ${keyword}`, steps: [WAIT] });
    expect(body.data.keyword).toBe(keyword);
    expect((await request('POST', '', { name: 'Other', keyword: equivalent, steps: [WAIT] })).status).toBe(409);
    const changeResponse = await request('PUT', `/${body.data.id}`, { keyword: equivalent });
    expect(changeResponse.body.data.keyword).toBe(equivalent);
  });
});

describe('GET, PUT and DELETE /api/v1/automations/:id', () => {
  it('list the automations newest first, and return one', async () => {
    for (const name of ['one', 'two', 'three']) await createAutomation(test, channel, [WAIT], { name });
    const { body } = await request('GET', '?limit=2&offset=1');
    expect(body.data).toMatchObject({ total: 3, limit: 2, offset: 1 });
    expect(body.data.automations.map(({ name }: { name: string }) => name)).toEqual(['two', 'one']);
    const [firstAutomation] = body.data.automations;
    expect((await request('GET', `/${firstAutomation.id}`)).body).toEqual({ success: true, data: firstAutomation });
  });

  it('change only the given fields', async () => {
    const id = await createAutomation(test, channel, [WAIT], { name: 'Old', keyword: 'old' });
    const automationBefore = (await request('GET', `/${id}`)).body.data;
    expect((await request('PUT', `/${id}`, {})).body.data).toEqual(automationBefore);

    clock.advance(1_000);
    const renamedAutomation = (await request('PUT', `/${id}`, { name: 'New' })).body.data;
    expect(renamedAutomation).toEqual({ ...automationBefore, name: 'New', updatedAt: '2027-01-15T12:00:01.000Z' });
    expect((await request('PUT', `/${id}`, { keyword: '' })).body.data).toMatchObject({ keyword: null, name: 'New' });
    expect((await request('PUT', `/${id}`, { steps: [REPLY] })).body.data.steps).toEqual([REPLY]);
  });

  it.each([
    ['name', { name: null }],
    ['keyword', { keyword: null }],
    ['steps', { steps: null }],
    ['steps[0].seconds', { steps: [{ type: 'wait' }] }],
    ['keyword', { steps: [{ type: 'send_reply', message: '{{variables.order}}' }] }],
  ])('refuse an invalid %s: %j', async (field, change) => {
    const id = await createAutomation(test, channel, [WAIT], { keyword: 'start' });
    const response = await request('PUT', `/${id}`, change);
    expect(response.status).toBe(400);
    expect(readErrorFields(response)).toContain(field);
  });

  it('refuse the keyword of another automation', async () => {
    await createAutomation(test, channel, [WAIT], { keyword: 'taken' });
    const id = await createAutomation(test, channel, [WAIT], { keyword: 'own' });
    expect((await request('PUT', `/${id}`, { keyword: 'TAKEN' })).status).toBe(409);
    expect((await request('PUT', `/${id}`, { keyword: 'OWN' })).body.data.keyword).toBe('OWN');
  });

  it('delete an automation once', async () => {
    const id = await createAutomation(test, channel, [WAIT]);
    await triggerAutomation(test, channel, id, { phone: PHONE });
    const { status, body } = await request('DELETE', `/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: { message: expect.any(String) } });
    expect((await request('DELETE', `/${id}`)).status).toBe(404);
    expect((await request('GET', `/${id}/runs`)).status).toBe(404);
    expect(await test.deps.prisma.automationRun.count({ where: { automationId: id } })).toBe(0);
  });

  it.each(['unknown', newId()])('return 404 for %s', async (id) => {
    expect((await request('GET', `/${id}`)).status).toBe(404);
    expect((await request('PUT', `/${id}`, { name: 'New' })).status).toBe(404);
    expect((await request('DELETE', `/${id}`)).status).toBe(404);
    expect((await request('POST', `/${id}/trigger`, { phone: PHONE })).status).toBe(404);
    expect((await request('GET', `/${id}/runs`)).status).toBe(404);
  });
});

describe('POST /api/v1/automations/:id/trigger', () => {
  it('starts a run for a contact given by ID or number, and returns it', async () => {
    const id = await createAutomation(test, channel, [WAIT, { type: 'send_reply', message: '{{variables.order}}' }]);
    const contactId = await receiveText(test.deps, channel, PHONE, 'Hello');
    const { status, body } = await request('POST', `/${id}/trigger`, {
      contactId: contactId.toUpperCase(),
      variables: { order: 'A-17', note: '' },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        automationId: id,
        contactId,
        status: 'running',
        step: 0,
        stepCount: 2,
        variables: { order: 'A-17', note: '' },
        errorMessage: null,
        waitingUntil: null,
        startedAt: START,
        completedAt: null,
      },
    });
    expect(
      await triggerAutomation(test, channel, id, { phone: PHONE, concurrent: true, variables: { order: 'B' } }),
    ).toMatchObject({
      contactId,
    });
  });

  it.each([
    ['contactId', {}],
    ['contactId', { contactId: 'somebody' }],
    ['contactId', { contactId: null }],
    ['phone', { contactId: newId(), phone: PHONE }],
    ['phone', { phone: '+4915112345678' }],
    ['phone', { phone: 4915112345678 }],
    ['phone', { phone: '999' }],
    ['variables', { phone: PHONE, variables: [] }],
    ['variables.order', { phone: PHONE, variables: { order: 17 } }],
    ['variables', { phone: PHONE, variables: { 'an order': 'A' } }],
    ['variables.order', { phone: PHONE }],
    ['variables.order', { phone: PHONE, variables: { other: 'A' } }],
  ])('refuses an invalid %s: %j', async (field, body) => {
    const id = await createAutomation(test, channel, [{ type: 'send_reply', message: '{{variables.order}}' }]);
    const response = await request('POST', `/${id}/trigger`, body);
    expect(response.status).toBe(400);
    expect(readErrorFields(response)).toContain(field);
    expect(await test.deps.prisma.contact.count({ where: { channelId: channel.channelId } })).toBe(0);
  });

  it('returns 404 for an unknown contact and for one of another channel', async () => {
    const id = await createAutomation(test, channel, [WAIT]);
    const otherChannel = await createTestChannel(test.deps, channel.account);
    const foreignContactId = await receiveText(test.deps, otherChannel, PHONE, 'Hello');
    expect((await request('POST', `/${id}/trigger`, { contactId: newId() })).status).toBe(404);
    expect((await request('POST', `/${id}/trigger`, { contactId: foreignContactId })).status).toBe(404);
  });

  it('starts one run per Idempotency-Key, even for concurrent requests', async () => {
    const id = await createAutomation(test, channel, [WAIT]);
    const key = { 'idempotency-key': 'once' };
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => request('POST', `/${id}/trigger`, { phone: PHONE }, key)),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1);
    expect((await request('GET', `/${id}/runs`)).body.data.total).toBe(1);
    expect((await request('POST', `/${id}/trigger`, { phone: '4915187654321' }, key)).status).toBe(422);
    const otherAutomation = await createAutomation(test, channel, [WAIT]);
    expect((await request('POST', `/${otherAutomation}/trigger`, { phone: PHONE }, key)).status).toBe(422);
  });
});

describe('automations of an SMS channel', () => {
  it('cannot have a step that sends a template', async () => {
    channel = await createTestChannel(test.deps, undefined, { kind: 'sms' });
    await createTemplate(test.deps, channel);
    const step = { type: 'send_template', templateName: 'hello', language: 'en_US' };
    const refusal = await request('POST', '', { name: 'Welcome', steps: [REPLY, step] });
    expect(refusal.status).toBe(403);
    expect(refusal.body.error.message).toMatch(/does not carry WhatsApp/);
    const id = await createAutomation(test, channel, [REPLY]);
    expect((await request('PUT', `/${id}`, { steps: [step] })).status).toBe(403);
  });
});

describe('GET /api/v1/automations/:id/runs', () => {
  it('lists the runs of one automation, newest first, by status in upper or lower case', async () => {
    const id = await createAutomation(test, channel, [WAIT]);
    const otherAutomation = await createAutomation(test, channel, [WAIT]);
    const runs: RunResponse[] = [];
    for (const phone of ['4915111111111', '4915122222222', '4915133333333']) {
      runs.unshift(await triggerAutomation(test, channel, id, { phone }));
    }
    await triggerAutomation(test, channel, otherAutomation, { phone: PHONE });
    const { body } = await request('GET', `/${id}/runs?limit=2`);
    expect(body.data).toEqual({ runs: runs.slice(0, 2), total: 3, limit: 2, offset: 0 });

    const failedRun = { status: 'failed', errorMessage: 'It broke.', dueAt: null, completedAt: clock.now() } as const;
    await test.deps.prisma.automationRun.update({ where: { id: runs[1]?.id }, data: failedRun });
    expect((await request('GET', `/${id}/runs?status=Failed`)).body.data).toMatchObject({
      runs: [{ id: runs[1]?.id, status: 'failed', errorMessage: 'It broke.', completedAt: START }],
      total: 1,
    });
    expect((await request('GET', `/${id}/runs?status=lost`)).body.data).toMatchObject({ runs: [], total: 0 });
    expect((await request('GET', `/${id}/runs?limit=0`)).status).toBe(400);
  });
});
