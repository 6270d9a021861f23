import { describe, expect, it } from 'vitest';
import { composeSms } from '../../../src/messages/compose/v1.js';
import { checkSendV2 } from '../../../src/messages/compose/v2-plan.js';
import { Turns } from '../../../src/platform/turns.js';

const options = { phoneValidation: 'calling-code', smsMaxChars: 0, now: new Date(), turns: new Turns() } as const;
const account = { id: '', currency: 'EUR', rateCardId: '', spendGuard: null };
const context = { ...options, account, carrier: 'simulator', idempotencyKey: null };
const SMS = { to: '15005550111', message: 'Hello' };
const WHATSAPP = { ...SMS, from: '15005550100', channel: 'whatsapp' } as const;
const rule = 'must be 1 to 18 printable characters';

describe('the sender ID of a send, on every surface', () => {
  it.each(['', ' ', '\u200b', 'x'.repeat(19), 'Ac\nme', 'Ac\u2028me', 'Ac\u202eme', 'Ac\u0007me'])(
    'a sender ID cannot be %j',
    async (from) => {
      const fields = [{ field: 'from', rule }];
      await expect(checkSendV2({ ...SMS, from }, options)).rejects.toMatchObject({ fields });
      await expect(composeSms({ ...SMS, from }, context)).rejects.toMatchObject({ fields });
      const fallback = { channel: 'sms', from } as const;
      await expect(checkSendV2({ ...WHATSAPP, fallback }, options)).rejects.toMatchObject({
        fields: [{ field: 'fallback.from', rule }],
      });
    },
  );

  it.each(['2020', '+15005550100', 'Café & Söhne', '🙂'.repeat(18)])('a sender ID can be %j', async (from) => {
    expect(await checkSendV2({ ...SMS, from }, options)).toMatchObject({ content: { type: 'sms' } });
    expect(await composeSms({ ...SMS, from }, context)).toMatchObject({ sender: from });
    const fallback = { channel: 'sms', from } as const;
    expect(await checkSendV2({ ...WHATSAPP, fallback }, options)).toMatchObject({ fallback: { from } });
  });
});
