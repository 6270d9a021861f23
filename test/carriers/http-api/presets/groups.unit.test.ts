import { describe, expect, it } from 'vitest';
import { readReports } from '../../../../src/carriers/http-api/callbacks/reports.js';
import { NOW, PUBLIC_URL, suiteVendor } from '../setup.js';

const { open } = suiteVendor();

describe('the preset telnyx', () => {
  const publicKey = 'bbeChyP74yzyOy2BQ180uIghs/oWYspjUM3qpJkEji0=';
  const openTelnyx = () => open({ preset: 'telnyx', apiKey: 'KEY', publicKey, publicUrl: PUBLIC_URL });

  it('the preset telnyx reports a group message once for each recipient', () => {
    const to = ['+15005550001', '+15005550006', '+15005550001'].map((phone_number) => ({ phone_number }));
    const payload = { id: 'm-1', from: { phone_number: '+15005550010' }, to, text: 'Hello' };
    const read = (event: object) =>
      readReports(openTelnyx().plan, {
        ...{ carrier: 'v', kind: 'events', query: {}, receivedAt: NOW },
        body: { data: { event_type: 'message.received', payload: event } },
      });
    const { inbound } = read(payload);
    expect(inbound.map(({ carrierMessageId, to: number }) => [carrierMessageId, number])).toEqual([
      ['m-1', '15005550001'],
      ['m-1', '15005550006'],
    ]);
    expect(read({ ...payload, to: [to[1]] }).inbound).toMatchObject([{ to: '15005550006' }]);
    expect(read({ ...payload, to: [] })).toMatchObject({ inbound: [], unmatched: [{ reason: 'incomplete' }] });
  });
});
