import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { openForSuite } from '../../support/for-suite.js';
import { suiteApp } from '../../support/suite.js';
import { type TestApp, testApp } from '../../support/test-app.js';

describe('a template edited by one process', () => {
  const first = suiteApp({ role: 'api' });
  const second = openForSuite(() => testApp({ sharesWith: first, role: 'api' }));
  let channel: TestChannel;

  beforeAll(async () => {
    channel = await createTestChannel(first.deps);
  });

  const send = ({ app }: TestApp, name: string) =>
    app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: channel.account.headers,
      payload: { to: '15005550111', from: channel.phoneNumber, template_id: name },
    });

  it('cannot be sent by any process until it is approved again', async () => {
    const id = await addTemplate(first, channel, { name: 'edited' });
    for (const test of [first, second]) expect((await send(test, 'edited')).statusCode).toBe(200);
    const components = [{ type: 'BODY', text: 'Another text' }];
    const edited = await call(first, channel, 'PUT', `/templates/${id}`, { components });
    expect(edited.statusCode, edited.body).toBe(200);
    expect(edited.json().data.status).not.toBe('APPROVED');
    for (const test of [second, first]) {
      const answer = await send(test, 'edited');
      expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining('template_id')]);
    }
    await first.deps.prisma.template.update({ where: { id }, data: { status: 'APPROVED' } });
    for (const test of [second, first]) expect((await send(test, 'edited')).statusCode).toBe(200);
    await second.deps.prisma.template.update({ where: { id }, data: { status: 'PAUSED' } });
    for (const test of [second, first]) expect((await send(test, 'edited')).statusCode).toBe(400);
  });
});
