import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder } from '../support/open-folder.js';
import { type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { COMMANDS_TIMEOUT, runDocumentCommands } from './markdown-commands.js';

describe('docs/conversation.md', COMMANDS_TIMEOUT, () => {
  const folder = openFolder('heliograph walk-');
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServerProcess({ cwd: folder, settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('leads from an inbound message to a reply and its webhook with commands that work as printed', async () => {
    const outputs = await runDocumentCommands('docs/conversation.md', folder);
    const [account, , webhook, inbound, received, history, reply, status, delivered, window, log] = outputs.map(String);

    expect(JSON.parse(account ?? '')).toMatchObject({ success: true, data: { channel: { healthStatus: 'healthy' } } });
    expect(JSON.parse(webhook ?? '').data.secret).toMatch(/^whsec_/);
    expect(JSON.parse(inbound ?? '')).toMatchObject({ success: true });
    expect(JSON.parse(received ?? '')).toMatchObject({ type: 'message.received' });
    expect(JSON.parse(history ?? '').data.messages).toMatchObject([
      { direction: 'inbound', text: 'Is the shop open today?' },
    ]);
    expect(JSON.parse(reply ?? '')).toMatchObject({ success: true, data: { status: 'sent' } });
    expect(JSON.parse(status ?? '')).toMatchObject({ data: { status: 'delivered', errorCode: null } });
    expect(delivered).toContain(JSON.parse(reply ?? '').data.messageId);
    expect(window).toContain('WINDOW_EXPIRED');
    expect(window).toContain('"status":"sent"');
    expect(log).toContain('"direction":"outbound"');
    expect(log).toContain('message.status');
  });
});
