import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { computeTwilioSignature } from '../../../src/features/webhooks/twilio/signature.js';

// Twilio's page "Webhooks security" defines the signed text as the URL and then each field's name and value, sorted by name.
it('a Twilio signature covers the fields sorted by name, in whatever order they are sent', () => {
  const url = 'https://example.com/status?foo=1&bar=2';
  const fields = { To: '+18005551212', MessageStatus: 'sent', From: '+14158675310', AccountSid: 'AC12345' };
  const signedText = `${url}AccountSidAC12345From+14158675310MessageStatussentTo+18005551212`;
  expect(computeTwilioSignature('token', url, fields)).toBe(
    createHmac('sha1', 'token').update(signedText).digest('base64'),
  );
});
