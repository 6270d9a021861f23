import { createHmac } from 'node:crypto';
import { describeVendor } from './vendor-contract.js';

const ACCOUNT = `AC${'0'.repeat(32)}`;
const PUBLIC = 'https://heliograph.example';

describeVendor('an API of forms by the preset twilio', {
  settings: (stub) => ({
    preset: 'twilio',
    baseUrl: stub.url,
    accountSid: ACCOUNT,
    authToken: 'the-auth-token',
    publicUrl: PUBLIC,
  }),
  readSubmit: ({ path, body }) => {
    if (path !== `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`) return null;
    const form = new URLSearchParams(body);
    const readField = (name: string) => form.get(name) ?? '';
    return { to: readField('To').slice(1), text: readField('Body'), receiptUrl: readField('StatusCallback') };
  },
  acceptedAnswer: (id) => ({ status: 201, body: { sid: id, status: 'queued' } }),
  refused: { status: 400, body: { code: 21211, message: "The 'To' number is not valid.", status: 400 } },
  throttled: { status: 429, body: { code: 20429, message: 'Too many requests' } },
  report: async ({ app }, receiptUrl, id, state) => {
    const fields = { MessageSid: id, MessageStatus: state, ...(state === 'undelivered' && { ErrorCode: '30005' }) };
    const signedText = receiptUrl + Object.entries(fields).sort().flat().join('');
    return app.inject({
      method: 'POST',
      url: receiptUrl.replace(PUBLIC, ''),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': createHmac('sha1', 'the-auth-token').update(signedText).digest('base64'),
      },
      payload: new URLSearchParams(fields).toString(),
    });
  },
});
