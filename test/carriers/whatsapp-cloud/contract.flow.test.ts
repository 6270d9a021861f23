import { type AcceptedMessage, CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { MetaRefusal } from '../../support/carriers/cloud-api/meta-error.js';
import { buildEnvelope, buildStatusFor, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { CONTRACT_NUMBERS, describeCarrier } from '../contract.js';

const PHONE_NUMBER_ID = '106540352242922';

describeCarrier(
  'the WhatsApp Cloud API',
  async () => {
    const stub = new CloudApi();
    await stub.start();
    const attempts = new Map<string, number>();
    stub.fault = ({ to }) => {
      const digits = String(to).replace('+', '');
      const count = (attempts.get(digits) ?? 0) + 1;
      attempts.set(digits, count);
      if (digits === CONTRACT_NUMBERS.refused) return new MetaRefusal(131026, 'Message undeliverable');
      if (digits === CONTRACT_NUMBERS.throttledTwice && count <= 2) {
        return new MetaRefusal(130429, 'Rate limit hit', { status: 429 });
      }
      return digits === CONTRACT_NUMBERS.answerLostOnce && count === 1 ? 'accepted-and-cut' : null;
    };
    return {
      kind: 'whatsapp',
      carrier: { type: 'whatsapp-cloud', settings: { ...stub.settings, timeoutMs: 20_000 } },
      channelSettings: { phoneNumberId: PHONE_NUMBER_ID },
      attach: async (heliograph, carrier) => {
        const report = async (message: AcceptedMessage) => {
          const error = { code: 131026, title: 'Message undeliverable', details: 'It is not on WhatsApp.' };
          const isUndelivered = message.to === CONTRACT_NUMBERS.undelivered;
          const statuses = isUndelivered
            ? [buildStatusFor(message, 'failed', { error })]
            : [buildStatusFor(message, 'sent'), buildStatusFor(message, 'delivered')];
          for (const status of statuses)
            await postWebhook(heliograph, stub, carrier, buildEnvelope({ statuses: [status] }));
        };
        // The status is not awaited, because it may arrive before the response, and may fail after the last test.
        stub.beforeAnswer = async (message) => void report(message).catch(() => undefined);
      },
      arrived: () => stub.accepted.map(({ to, body }) => ({ to, text: (body.text as { body: string }).body })),
      interrupt: () => stub.stop(),
      restore: () => stub.start(),
      close: () => stub.stop(),
    };
  },
  { canBeAway: true },
);
