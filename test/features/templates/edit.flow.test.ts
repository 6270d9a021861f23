import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { openForSuite } from '../../support/for-suite.js';
import { suiteApp } from '../../support/suite.js';
import { type TestApp, testApp } from '../../support/test-app.js';

describe('a template edited by one process', () => {
  const firstServer = suiteApp({ role: 'api' });
  const secondServer = openForSuite(() => testApp({ sharesWith: firstServer, role: 'api' }));
  let channel: TestChannel;

  beforeAll(async () => {
    channel = await createTestChannel(firstServer.deps);
  });

  const send = ({ app }: TestApp, name: string) =>
    app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: channel.account.headers,
      payload: { to: '15005550111', from: channel.phoneNumber, template_id: name },
    });

  it('a template edited by one process cannot be sent by any process until it is approved again', async () => {
    const id = await addTemplate(firstServer, channel, { name: 'edited' });
    for (const test of [firstServer, secondServer]) expect((await send(test, 'edited')).statusCode).toBe(200);
    const components = [{ type: 'BODY', text: 'Another text' }];
    const editResponse = await call(firstServer, channel, 'PUT', `/templates/${id}`, { components });
    expect(editResponse.statusCode, editResponse.body).toBe(200);
    expect(editResponse.json().data.status).not.toBe('APPROVED');
    for (const test of [secondServer, firstServer]) {
      const response = await send(test, 'edited');
      expect([response.statusCode, response.body]).toEqual([400, expect.stringContaining('template_id')]);
    }
    await firstServer.deps.prisma.template.update({ where: { id }, data: { status: 'APPROVED' } });
    for (const test of [secondServer, firstServer]) expect((await send(test, 'edited')).statusCode).toBe(200);
    await secondServer.deps.prisma.template.update({ where: { id }, data: { status: 'PAUSED' } });
    for (const test of [secondServer, firstServer]) expect((await send(test, 'edited')).statusCode).toBe(400);
  });
});
