import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder } from '../support/open-folder.js';
import { type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { COMMANDS_TIMEOUT, runDocumentCommands } from './markdown-commands.js';

describe('docs/sending.md and docs/webhooks.md', COMMANDS_TIMEOUT, () => {
  const folder = openFolder('heliograph sending-');
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServerProcess({ cwd: folder });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('show commands that estimate, schedule, show and cancel messages and work as printed', async () => {
    const [, estimate = '', , shown = '', changes = '', canceled = ''] = await runDocumentCommands(
      'docs/sending.md',
      folder,
    );
    expect(JSON.parse(estimate).data).toMatchObject({
      encoding: 'ucs2',
      first_ucs2_character: { character: '’', code_point: 'U+2019', index: 2 },
    });
    expect(JSON.parse(shown).data).toMatchObject({ status: 'queued', scheduled_at: expect.any(String) });
    expect(JSON.parse(changes)).toMatchObject({ data: [], cursor: expect.any(String), has_more: false });
    expect(JSON.parse(canceled).data).toMatchObject({ status: 'canceled', refunded: true });
  });

  it('show commands that register webhooks of a channel and an account and work as printed', async () => {
    const [channelOutput = '', accountOutput = ''] = await runDocumentCommands('docs/webhooks.md', folder);
    for (const output of [channelOutput, accountOutput]) {
      expect(JSON.parse(output).data).toMatchObject({
        url: 'https://example.com/hooks/heliograph',
        secret: expect.stringMatching(/^whsec_/),
      });
    }
  });
});
