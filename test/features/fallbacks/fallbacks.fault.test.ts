import { expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import { describeFeature } from '../../support/backends.js';
import { createTestChannel } from '../../support/channels.js';
import { closersForEachTest } from '../../support/for-suite.js';
import { waitForStatus } from '../../support/messages.js';
import { expireLeases, killWorkerAt } from '../../support/processes/dying-worker.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

/** Number for which the simulator rejects both WhatsApp messages and SMS. */
const REFUSED = '15005550001';

describeFeature('a fallback whose process is killed', (backend) => {
  const closers = closersForEachTest();
  const openServer = async (...args: Parameters<typeof testApp>): Promise<TestApp> => {
    const server = await testApp(...args);
    closers.push(() => server.close());
    return server;
  };

  it.each(['fallback:before-commit', 'fallback:committed'])(
    'a fallback whose process is killed is sent exactly once after a crash at %s',
    async (point) => {
      const api = await openServer({ backend, role: 'api' });
      const { account, phoneNumber } = await createTestChannel(api.deps);
      const response = await api.app.inject({
        method: 'POST',
        url: '/v2/send',
        headers: account.headers,
        payload: {
          to: [REFUSED, REFUSED, REFUSED],
          from: phoneNumber,
          channel: 'whatsapp',
          message: 'Hello',
          fallback: { channel: 'sms', from: 'Shop' },
        },
      });
      const ids: string[] = response.json().data.map(({ message_id }: { message_id: string }) => message_id);
      await killWorkerAt(api, point);
      await expireLeases(api);
      const worker = await openServer({ sharesWith: api, role: 'worker' });
      await waitForStatus(api, ids, 'failed');
      const listSms = () => worker.deps.prisma.message.findMany({ where: { accountId: account.id, kind: 'sms' } });
      await waitFor(
        'an SMS for each',
        async () => (await listSms()).filter(({ status }) => status === 'failed').length === 3,
      );
      expect(await listSms()).toHaveLength(3);
      const fallbacks = await worker.deps.prisma.fallback.findMany({ where: { messageId: { in: ids } } });
      expect(fallbacks.map(({ smsId }) => smsId).sort()).toEqual((await listSms()).map(({ id }) => id).sort());
      expect(await readBalance(api.deps, account.id)).toBe(100_000_000n);
    },
  );
});
