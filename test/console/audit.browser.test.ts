import { expect, it } from 'vitest';
import { writeAuditEntry } from '../../src/accounts/audit/audit-log.js';
import { describeConsole } from './support/describe-console.js';

describeConsole('the audit log', (console) => {
  it('an audit entry shows changed fields and omits unchanged ones', async () => {
    const { api, account } = console;
    await writeAuditEntry(api.deps.prisma, {
      accountId: account.id,
      actor: { kind: 'operator', id: account.id, name: 'ada', address: '127.0.0.1' },
      action: 'webhook.update',
      subject: 'a-webhook',
      before: { url: 'https://same.example/', events: ['message.status'], isActive: true },
      after: { url: 'https://same.example/', events: ['message.received'], isActive: true, note: 'new' },
    });
    const page = await console.open('audit');
    const row = page.getByRole('row', { name: /webhook\.update/ });
    await row.getByText('message.status').waitFor();
    const rowText = await row.innerText();
    for (const changed of ['message.received', 'note', 'new']) expect(rowText).toContain(changed);
    for (const unchanged of ['same.example', 'isActive']) expect(rowText).not.toContain(unchanged);
  });
});
