import { expect, it } from 'vitest';
import { writeAuditEntry } from '../../src/accounts/audit/audit-log.js';
import { describeConsole } from './support/describe-console.js';

describeConsole('the audit log in the console', (console) => {
  it('lists of a change what became another, and nothing that stayed', async () => {
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
    const words = await row.innerText();
    for (const shown of ['message.received', 'note', 'new']) expect(words).toContain(shown);
    for (const same of ['same.example', 'isActive']) expect(words).not.toContain(same);
  });
});
