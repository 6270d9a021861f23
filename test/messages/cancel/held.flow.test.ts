import { describe, expect, it } from 'vitest';
import { makeChange } from '../../../src/accounts/audit/change.js';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import { vendorCode } from '../../../src/carriers/failure-codes.js';
import { cancelWaitingStep } from '../../../src/features/cancel-waiting/cancel.js';
import { newId } from '../../../src/platform/ids.js';
import { readBalance } from '../../support/accounts.js';
import { createCampaign } from '../../support/campaigns.js';
import {
  addScriptedCarrier,
  createScriptedType,
  type ScriptedCarrier,
} from '../../support/carriers/scripted-carrier.js';
import { call } from '../../support/channel-calls.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import type { TestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

/** Response of a carrier that was called before the message was canceled. */
const LATER = CarrierError.refused(vendorCode('BUSY'), 'Not now.', { retryable: true });
const FOR_A_DAY = LATER.with({ pauseMs: 86_400_000 });
const MAYBE_ACCEPTED = CarrierError.answerLost('The connection broke.');

describe('canceling a message that a worker holds', () => {
  const type = createScriptedType();
  const heliograph = suiteApp({ carrierTypes: [type] });

  async function startHeldCampaign() {
    const { deps } = heliograph;
    const name = `held-${newId().slice(-8)}`;
    await addScriptedCarrier(deps, name);
    await deps.carriers.reload();
    const carrier = type.opened.get(name) as ScriptedCarrier;
    let sendAnswer: (error: CarrierError | null) => void = () => {};
    const carrierAnswer = new Promise<CarrierError | null>((resolve) => {
      sendAnswer = resolve;
    });
    carrier.script = async ({ id }) => {
      const error = await carrierAnswer;
      if (error) throw error;
      return { carrierMessageId: id };
    };
    const carrierSettings = { phoneNumberId: newId().replace(/\D/g, '') };
    const channel = await createCampaignChannel(deps, { carrier: name, carrierSettings, carrierTypes: [type] });
    const balanceBefore = await readBalance(deps, channel.account.id);
    const group = await createGroup(deps, channel, { size: 1 });
    const campaign = await createCampaign(heliograph, channel, { groupId: group.id });
    await waitFor('the carrier to be asked', () => Promise.resolve(carrier.submitted.length === 1));
    return { channel, carrier, balanceBefore, campaign, answer: sendAnswer };
  }

  const cancelCampaign = async (channel: TestChannel, id: string) =>
    expect((await call(heliograph, channel, 'POST', `/campaigns/${id}/cancel`)).statusCode).toBe(200);
  const waitForStatus = (channel: TestChannel, status: string) =>
    waitFor(`the message to be ${status}`, async () => {
      const row = await heliograph.deps.prisma.message.findFirstOrThrow({ where: { accountId: channel.account.id } });
      return row.status === status && row;
    });

  it.each([LATER, FOR_A_DAY])(
    'a canceled message is not sent and is refunded once its carrier refuses for now',
    async (error) => {
      const { channel, carrier, balanceBefore, campaign, answer } = await startHeldCampaign();
      await cancelCampaign(channel, campaign.id);
      answer(error);
      expect(await waitForStatus(channel, 'canceled')).toMatchObject({
        ...{ errorCode: 'CANCELED', errorMessage: 'The campaign was canceled.', refunded: true, nextLook: null },
      });
      expect(carrier.submitted).toHaveLength(1);
      expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore);
    },
  );

  it('canceling all messages of an account covers those that a worker holds', async () => {
    const { channel, carrier, balanceBefore, answer } = await startHeldCampaign();
    const actor = { kind: 'cli', name: 'test' } as const;
    const step = await makeChange(heliograph.deps, { actor, accountId: channel.account.id }, (change) =>
      cancelWaitingStep(change, channel.account.id, new Date()),
    );
    expect(step).toMatchObject({ messages: 0, hasMore: false });
    answer(LATER);
    expect(await waitForStatus(channel, 'canceled')).toMatchObject({
      errorMessage: 'An operator canceled all waiting messages.',
    });
    expect(carrier.submitted).toHaveLength(1);
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore);
  });

  it('a message that its carrier accepts despite the cancellation is sent and charged', async () => {
    const { channel, balanceBefore, campaign, answer } = await startHeldCampaign();
    await cancelCampaign(channel, campaign.id);
    answer(null);
    expect(await waitForStatus(channel, 'sent')).toMatchObject({ refunded: false, errorCode: null });
    expect(await readBalance(heliograph.deps, channel.account.id)).toBeLessThan(balanceBefore);
  });

  it('a canceled message continues if its carrier may have accepted it', async () => {
    const { channel, carrier, campaign, answer } = await startHeldCampaign();
    await cancelCampaign(channel, campaign.id);
    carrier.script = ({ id }) => ({ carrierMessageId: id });
    answer(MAYBE_ACCEPTED);
    expect(await waitForStatus(channel, 'sent')).toMatchObject({ refunded: false, maybeAccepted: true });
    expect(carrier.submitted).toHaveLength(2);
  });
});
