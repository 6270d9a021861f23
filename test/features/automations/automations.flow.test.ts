import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { readBalance } from '../../support/accounts.js';
import {
  createAutomation,
  createCompletionWebhook,
  listBodiesTo,
  listRuns,
  receiveText,
  triggerAutomation,
  waitForRun,
} from '../../support/automations.js';
import { describeFeature } from '../../support/backends.js';
import { createGroup, createTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const PRICE = 10_000n;
const CREDIT = 100_000_000n;
const HOUR_S = 60 * 60;
const PHONE = '4915112345678';
const order = { type: 'body', parameters: [{ type: 'text', text: '{{variables.order}}' }] };

describeFeature('an automation', (backend) => {
  const clock = new ShiftedClock();
  const test = suiteApp({ backend, clock });
  let channel: TestChannel;

  beforeEach(async () => {
    channel = await createTestChannel(test.deps);
  });

  it('an automation performs its steps in order and sends each message before the next', async () => {
    await createTemplate(test.deps, channel, { name: 'order', body: 'Order {{1}}' });
    const group = await createGroup(test.deps, channel, { size: 0 });
    const contactId = await receiveText(test.deps, channel, PHONE, 'Hello');
    const data = { name: 'Ada', fields: { plan: 'pro' } };
    await test.deps.prisma.contact.update({ where: { id: contactId }, data });
    const id = await createAutomation(test, channel, [
      { type: 'send_reply', message: 'One, {{contact.name}} ({{contact.fields.plan|basic}})' },
      { type: 'add_to_group', groupId: group.id },
      { type: 'send_template', templateName: 'order', language: 'en_US', components: [order] },
      { type: 'send_reply', message: 'Three for {{ contact.phone }}: {{variables.order}}' },
    ]);
    const startedRun = await triggerAutomation(test, channel, id, { contactId, variables: { order: 'A-17' } });
    expect(startedRun).toMatchObject({ automationId: id, contactId, status: 'running', step: 0, stepCount: 4 });

    const run = await waitForRun(test, channel, id, 'completed');
    expect(run).toMatchObject({ id: startedRun.id, step: 4, errorMessage: null, waitingUntil: null });
    expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual([
      'One, Ada (pro)',
      'Order A-17',
      `Three for ${PHONE}: A-17`,
    ]);
    expect(await waitForAllMessages(test.deps, channel.account.id, 'delivered')).toBe(3);
    expect(await readBalance(test.deps, channel.account.id)).toBe(CREDIT - 3n * PRICE);
    const messages = await test.deps.prisma.message.findMany({
      where: { channelId: channel.channelId },
      orderBy: { id: 'asc' },
    });
    expect(messages.map(({ priority }) => priority)).toEqual([2, 2, 2]);
    const [, second, third] = messages;
    expect(second?.sentAt?.getTime()).toBeLessThanOrEqual(third?.createdAt.getTime() as number);
    expect(await test.deps.prisma.contactGroup.findUnique({ where: { id: group.id } })).toMatchObject({
      contactCount: 1,
    });
  });

  it('an automation removes the contact from a group', async () => {
    const group = await createGroup(test.deps, channel, { size: 2 });
    const id = await createAutomation(test, channel, [{ type: 'remove_from_group', groupId: group.id }]);
    await triggerAutomation(test, channel, id, { contactId: group.contactIds[0] });
    await waitForRun(test, channel, id, 'completed');
    const remainingMembers = await test.deps.prisma.groupMember.findMany({ where: { groupId: group.id } });
    expect(remainingMembers.map(({ contactId }) => contactId)).toEqual([group.contactIds[1]]);
  });

  it('an automation continues only after the wait is over', async () => {
    await createTemplate(test.deps, channel);
    const id = await createAutomation(test, channel, [
      { type: 'wait', seconds: HOUR_S },
      { type: 'send_template', templateName: 'hello', language: 'en_US' },
    ]);
    await triggerAutomation(test, channel, id, { phone: PHONE });
    const run = await waitForRun(test, channel, id, 'waiting');
    expect(run.step).toBe(1);
    const remaining = Date.parse(run.waitingUntil as string) - clock.now().getTime();
    expect(remaining).toBeLessThanOrEqual(HOUR_S * 1000);

    clock.advance(remaining - 60_000);
    const otherId = await createAutomation(test, channel, [
      { type: 'send_template', templateName: 'hello', language: 'en_US' },
    ]);
    await triggerAutomation(test, channel, otherId, { phone: '4915187654321' });
    await waitForRun(test, channel, otherId, 'completed');
    expect((await listRuns(test, channel, id))[0]).toMatchObject({ status: 'waiting', step: 1 });
    expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual([]);

    clock.advance(60_000);
    await waitForRun(test, channel, id, 'completed');
    expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual(['Hello']);
  });

  it('an automation completes a run after a wait as its last step', async () => {
    const id = await createAutomation(test, channel, [{ type: 'wait', seconds: HOUR_S }]);
    await triggerAutomation(test, channel, id, { phone: PHONE });
    expect(await waitForRun(test, channel, id, 'waiting')).toMatchObject({ step: 1, completedAt: null });
    clock.advance(HOUR_S * 1000);
    expect(await waitForRun(test, channel, id, 'completed')).toMatchObject({ step: 1, waitingUntil: null });
  });

  it('an automation creates a contact for a new number', async () => {
    await createTemplate(test.deps, channel);
    const id = await createAutomation(test, channel, [
      { type: 'send_template', templateName: 'hello', language: 'en_US' },
    ]);
    const { contactId } = await triggerAutomation(test, channel, id, { phone: PHONE });
    await waitForRun(test, channel, id, 'completed');
    const contact = await test.deps.prisma.contact.findUniqueOrThrow({
      where: { id: contactId },
      include: { conversation: true },
    });
    expect(contact).toMatchObject({ phone: PHONE, channelId: channel.channelId });
    const message = await test.deps.prisma.message.findFirstOrThrow({ where: { contactId } });
    expect(message.conversationId).toBe(contact.conversation?.id);
  });

  describe('a run that cannot continue fails with a reason:', () => {
    const failRun = async (steps: object[], phone = PHONE) => {
      const id = await createAutomation(test, channel, steps);
      await triggerAutomation(test, channel, id, { phone });
      return waitForRun(test, channel, id, 'failed');
    };

    it('a run fails with a reason: a reply is outside the 24-hour window', async () => {
      const run = await failRun([{ type: 'send_reply', message: 'Hello' }]);
      expect(run).toMatchObject({ step: 0, errorMessage: expect.stringMatching(/24 hours/) });
      expect(run.completedAt).not.toBeNull();
    });

    it('a run fails with a reason: the reply window closed during a wait', async () => {
      await receiveText(test.deps, channel, PHONE, 'Hello');
      const id = await createAutomation(test, channel, [
        { type: 'wait', seconds: 24 * HOUR_S },
        { type: 'send_reply', message: 'Still there?' },
      ]);
      await triggerAutomation(test, channel, id, { phone: PHONE });
      await waitForRun(test, channel, id, 'waiting');
      clock.advance(24 * HOUR_S * 1000);
      expect(await waitForRun(test, channel, id, 'failed')).toMatchObject({ step: 1 });
      expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual([]);
    });

    it('a run fails with a reason: the template was paused', async () => {
      await createTemplate(test.deps, channel);
      const id = await createAutomation(test, channel, [
        { type: 'wait', seconds: 60 },
        { type: 'send_template', templateName: 'hello', language: 'en_US' },
      ]);
      await triggerAutomation(test, channel, id, { phone: PHONE });
      await waitForRun(test, channel, id, 'waiting');
      await test.deps.prisma.template.updateMany({
        where: { channelId: channel.channelId },
        data: { status: 'PAUSED' },
      });
      clock.advance(60_000);
      expect((await waitForRun(test, channel, id, 'failed')).errorMessage).toMatch(/PAUSED/);
    });

    it('a run fails with a reason: the balance is too low', async () => {
      channel = await createTestChannel(test.deps, undefined, { creditMicros: 0n });
      await createTemplate(test.deps, channel);
      const run = await failRun([{ type: 'send_template', templateName: 'hello', language: 'en_US' }]);
      expect(run.errorMessage).toMatch(/balance/);
    });

    it('a run fails with a reason: the group was deleted', async () => {
      const group = await createGroup(test.deps, channel, { size: 0 });
      const id = await createAutomation(test, channel, [
        { type: 'wait', seconds: 60 },
        { type: 'add_to_group', groupId: group.id },
      ]);
      await triggerAutomation(test, channel, id, { phone: PHONE });
      await waitForRun(test, channel, id, 'waiting');
      await test.deps.prisma.contactGroup.delete({ where: { id: group.id } });
      clock.advance(60_000);
      expect((await waitForRun(test, channel, id, 'failed')).errorMessage).toMatch(/group/);
    });

    it('a run fails with a reason: the contact lacks the name that a template needs', async () => {
      await createTemplate(test.deps, channel, { name: 'named', body: 'Hello {{1}}' });
      const name = { type: 'body', parameters: [{ type: 'text', text: '{{contact.name}}' }] };
      const run = await failRun([
        { type: 'send_template', templateName: 'named', language: 'en_US', components: [name] },
      ]);
      expect(run.errorMessage).toMatch(/components\[0\]\.parameters\[0\]\.text/);
    });
  });

  it('an automation keeps the steps a run started with when the automation changes', async () => {
    await createTemplate(test.deps, channel);
    await createTemplate(test.deps, channel, { name: 'other', body: 'Other' });
    const id = await createAutomation(test, channel, [
      { type: 'wait', seconds: 60 },
      { type: 'send_template', templateName: 'hello', language: 'en_US' },
    ]);
    await triggerAutomation(test, channel, id, { phone: PHONE });
    await waitForRun(test, channel, id, 'waiting');
    const { statusCode } = await test.app.inject({
      method: 'PUT',
      url: `/api/v1/automations/${id}`,
      headers: channel.headers,
      payload: { steps: [{ type: 'send_template', templateName: 'other', language: 'en_US' }] },
    });
    expect(statusCode).toBe(200);
    clock.advance(60_000);
    await waitForRun(test, channel, id, 'completed');
    expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual(['Hello']);
  });

  it.each(['contact', 'automation'] as const)(
    'an automation performs no further step once its %s is deleted',
    async (deleted) => {
      await createTemplate(test.deps, channel);
      const id = await createAutomation(test, channel, [
        { type: 'wait', seconds: 60 },
        { type: 'send_template', templateName: 'hello', language: 'en_US' },
      ]);
      const { contactId } = await triggerAutomation(test, channel, id, { phone: PHONE });
      await waitForRun(test, channel, id, 'waiting');
      if (deleted === 'contact') await test.deps.prisma.contact.delete({ where: { id: contactId } });
      else await test.deps.prisma.automation.delete({ where: { id } });
      clock.advance(60_000);
      const otherId = await createAutomation(test, channel, [
        { type: 'send_template', templateName: 'hello', language: 'en_US' },
      ]);
      await triggerAutomation(test, channel, otherId, { phone: '4915187654321' });
      await waitForRun(test, channel, otherId, 'completed');
      expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual([]);
      expect(await test.deps.prisma.automationRun.count({ where: { automationId: id } })).toBe(0);
    },
  );

  describe('started by a keyword', () => {
    const greetingSteps = [{ type: 'send_reply', message: 'You said {{variables.message}}' }];

    it.each(['START', ' start\n', 'Start'])('an automation with a keyword starts for the text %j', async (text) => {
      const id = await createAutomation(test, channel, greetingSteps, { keyword: 'Start' });
      await receiveText(test.deps, channel, PHONE, text);
      const run = await waitForRun(test, channel, id, 'completed');
      expect(run.variables).toEqual({ message: text });
      expect(await listBodiesTo(test.deps, channel, PHONE)).toEqual([`You said ${text}`]);
    });

    it('an automation with a keyword starts for the text of a button, in any alphabet', async () => {
      const id = await createAutomation(test, channel, greetingSteps, { keyword: 'Привет Ömer' });
      await receiveText(test.deps, channel, PHONE, 'ПРИВЕТ ÖMER', { type: 'button' });
      await waitForRun(test, channel, id, 'completed');
    });

    it.each([
      ['ΛΌΓΟΣ', 'λόγος'],
      ['λόγος', 'λόγοσ'],
      ['Μαϊου', 'ΜΑΙ\u0308ΟΥ'],
      ['cafe\u0301', 'CAFÉ'],
    ])(
      'an automation with the keyword %s starts for %s, ignoring case and accents as a search does',
      async (keyword, text) => {
        const id = await createAutomation(test, channel, greetingSteps, { keyword });
        await receiveText(test.deps, channel, PHONE, text);
        await waitForRun(test, channel, id, 'completed');
      },
    );

    it('an automation with a keyword starts once for a message that is reported twice', async () => {
      const id = await createAutomation(test, channel, greetingSteps, { keyword: 'start' });
      const report = { id: `in-${newId()}` };
      await Promise.all([1, 2, 3].map(() => receiveText(test.deps, channel, PHONE, 'start', report)));
      await waitForRun(test, channel, id, 'completed');
      expect(await listRuns(test, channel, id)).toHaveLength(1);
      expect(await listBodiesTo(test.deps, channel, PHONE)).toHaveLength(1);
    });

    it.each([
      ['start now', 'text'],
      ['restart', 'text'],
      ['start', 'image'],
      ['', 'text'],
    ])('an automation with a keyword does not start for %j of type %s', async (text, type) => {
      const id = await createAutomation(test, channel, greetingSteps, { keyword: 'start' });
      await receiveText(test.deps, channel, PHONE, text, { type });
      expect(await listRuns(test, channel, id)).toEqual([]);
    });

    it('an automation with a keyword does not start for a message on another channel', async () => {
      const id = await createAutomation(test, channel, greetingSteps, { keyword: 'start' });
      const otherId = await createTestChannel(test.deps, channel.account);
      await receiveText(test.deps, otherId, PHONE, 'start');
      expect(await listRuns(test, channel, id)).toEqual([]);
    });
  });

  it('an automation emits an event when a run completes or fails', async () => {
    const { prisma } = test.deps;
    const webhook = await createCompletionWebhook(test.deps, channel);
    await createTemplate(test.deps, channel);
    const completingId = await createAutomation(test, channel, [
      { type: 'send_template', templateName: 'hello', language: 'en_US' },
    ]);
    const failingId = await createAutomation(test, channel, [{ type: 'send_reply', message: 'Hello' }]);
    const completedRun = await triggerAutomation(test, channel, completingId, { phone: PHONE });
    const failedRun = await triggerAutomation(test, channel, failingId, { contactId: completedRun.contactId });
    await waitForRun(test, channel, completingId, 'completed');
    await waitForRun(test, channel, failingId, 'failed');

    const events = await waitFor('both events', async () => {
      const rows = await prisma.webhookDelivery.findMany({ where: { webhookId: webhook.id } });
      return rows.length >= 2 && rows;
    });
    expect(events).toHaveLength(2);
    const sharedData = { channelId: channel.channelId, contactId: completedRun.contactId, phone: PHONE };
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual(
      expect.arrayContaining([
        {
          type: 'automation.completed',
          data: expect.objectContaining({
            ...sharedData,
            runId: completedRun.id,
            automationId: completingId,
            status: 'completed',
            errorMessage: null,
          }),
        },
        {
          type: 'automation.completed',
          data: expect.objectContaining({
            ...sharedData,
            runId: failedRun.id,
            automationId: failingId,
            status: 'failed',
            errorMessage: expect.stringMatching(/24 hours/),
          }),
        },
      ]),
    );
  });
});
