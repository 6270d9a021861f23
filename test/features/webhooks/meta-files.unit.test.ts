import { describe, expect, it } from 'vitest';
import { buildMetaBody } from '../../../src/features/webhooks/meta/body.js';

const fileFacts = {
  ...{ channelId: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55', carrier: 'meta', phoneNumber: '15550783881' },
  ...{
    carrierSettings: { phoneNumberId: '1' },
    businessAccountId: '2',
    name: 'Ada',
    parentUserId: null,
    referredId: null,
  },
};
const renderContent = (type: string, payload: object) => {
  const data = {
    from: '15005550111',
    userId: null,
    username: null,
    type,
    text: '',
    payload,
    carrierMessageId: 'wamid.1',
  };
  const event = { type: 'message.received', occurredAt: new Date(), data: JSON.stringify(data) } as const;
  const { entry } = JSON.parse(buildMetaBody(event as Parameters<typeof buildMetaBody>[0], fileFacts));
  return entry[0].changes[0].value.messages[0][type];
};

describe("a file in a webhook of Meta's format", () => {
  it.each(['image', 'audio', 'video', 'document', 'sticker'])(
    'a file of type %s has our ID and no URL of Meta',
    (type) => {
      const url = 'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1';
      const file = { id: '103', mime_type: 'x/y', sha256: 'abc', url };
      expect(renderContent(type, { ...file, mediaId: 'ours' })).toEqual({
        id: 'ours',
        mime_type: 'x/y',
        sha256: 'abc',
      });
      expect(renderContent(type, file)).not.toHaveProperty('url');
    },
  );

  it("a file in a webhook of Meta's format keeps the address of a location", () => {
    const location = { latitude: 1, longitude: 2, url: 'https://example.com' };
    expect(renderContent('location', location)).toEqual(location);
  });
});
