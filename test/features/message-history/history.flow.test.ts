import { describe, expect, it } from 'vitest';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import { findHistory } from '../../../src/features/message-history/history.js';
import { newId } from '../../../src/platform/ids.js';
import { suiteOnTwoCarriers } from '../../support/carriers/two-carriers.js';
import { accept, waitForAllMessages } from '../../support/sends.js';

describe('the history of a message', () => {
  const { heliograph, pair } = suiteOnTwoCarriers();

  const send = async () => (await accept(heliograph.deps, pair.account))[0] as string;
  const readHistory = async (id: string) => {
    const history = await findHistory(heliograph.deps, pair.account.id, id);
    if (!history) throw new Error('there is no such message');
    return history.timeline;
  };

  it('the history of a message lists each failed attempt and the final result', async () => {
    let tries = 0;
    const scriptedSubmit = ({ id }: { id: string }) => {
      tries += 1;
      // Trying all carriers of a route in turn counts as one attempt.
      if (tries <= 4) throw new CarrierError(`BUSY_${tries}`, 'It is busy.', { retryable: true });
      return { carrierMessageId: id };
    };
    pair.first.script = scriptedSubmit;
    pair.second.script = scriptedSubmit;
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    const timeline = await readHistory(id);
    expect(timeline.map((step) => step.type)).toEqual(['accepted', 'claimed', 'try_failed', 'try_failed', 'sent']);
    expect(timeline.filter(({ error }) => error).map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(timeline[2]?.error?.code).toMatch(/^BUSY_/);
    await heliograph.deps.prisma.message.delete({ where: { id } });
  });

  it('the history of a message lists which webhook received which status', async () => {
    await heliograph.deps.prisma.webhook.create({
      data: {
        id: newId(),
        accountId: pair.account.id,
        url: 'https://example.invalid/hook',
        events: ['message.status'],
        secret: 'whsec_AAAA',
      },
    });
    const id = await send();
    await waitForAllMessages(heliograph.deps, pair.account.id, 'sent');
    const webhookEntries = (await readHistory(id)).filter((step) => step.type === 'webhook');
    expect(webhookEntries.map(({ event }) => [event?.reportedStatus, event?.url, event?.channelId])).toEqual([
      ['sent', 'https://example.invalid/hook', null],
    ]);
  });

  it('the history of a message is visible only to its account', async () => {
    const id = await send();
    expect(await findHistory(heliograph.deps, newId(), id)).toBeNull();
    expect(await findHistory(heliograph.deps, pair.account.id, 'no-id')).toBeNull();
  });
});
