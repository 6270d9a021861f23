import { describe, expect, it } from 'vitest';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import { findHistory } from '../../../src/features/message-history/history.js';
import { newId } from '../../../src/platform/ids.js';
import { suiteOnTwoCarriers } from '../../support/carriers/two-carriers.js';
import { accept, allReach } from '../../support/sends.js';

describe('the history of a message', () => {
  const { heliograph, mine } = suiteOnTwoCarriers();

  const send = async () => (await accept(heliograph.deps, mine.account))[0] as string;
  const history = async (id: string) => {
    const found = await findHistory(heliograph.deps, mine.account.id, id);
    if (!found) throw new Error('there is no such message');
    return found.timeline;
  };

  it('tells of each try that failed, and of what came in the end', async () => {
    let tries = 0;
    const script = ({ id }: { id: string }) => {
      tries += 1;
      // The carriers of the route are asked one after the other: both are one try.
      if (tries <= 4) throw new CarrierError(`BUSY_${tries}`, 'It is busy.', { retryable: true });
      return { carrierMessageId: id };
    };
    mine.first.script = script;
    mine.second.script = script;
    const id = await send();
    await allReach(heliograph.deps, mine.account.id, 'sent');
    const timeline = await history(id);
    expect(timeline.map((step) => step.type)).toEqual(['accepted', 'claimed', 'try_failed', 'try_failed', 'sent']);
    expect(timeline.filter(({ error }) => error).map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(timeline[2]?.error?.code).toMatch(/^BUSY_/);
    await heliograph.deps.prisma.message.delete({ where: { id } });
  });

  it('tells which webhook was told of which status', async () => {
    await heliograph.deps.prisma.webhook.create({
      data: {
        id: newId(),
        accountId: mine.account.id,
        url: 'https://example.invalid/hook',
        events: ['message.status'],
        secret: 'whsec_AAAA',
      },
    });
    const id = await send();
    await allReach(heliograph.deps, mine.account.id, 'sent');
    const told = (await history(id)).filter((step) => step.type === 'webhook');
    expect(told.map(({ event }) => [event?.tells, event?.url, event?.channelId])).toEqual([
      ['sent', 'https://example.invalid/hook', null],
    ]);
  });

  it('is of the account alone', async () => {
    const id = await send();
    expect(await findHistory(heliograph.deps, newId(), id)).toBeNull();
    expect(await findHistory(heliograph.deps, mine.account.id, 'no-id')).toBeNull();
  });
});
