import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { addCarrier } from '../../src/carriers/setup/carriers.js';
import { createTestChannel } from '../support/channels.js';
import { describeConsole } from './support/describe-console.js';
import { setHidden } from './support/hidden-tab.js';

const KEEP_STREAMS = `
  window.streams = [];
  window.EventSource = class extends EventSource {
    constructor(...options) {
      super(...options);
      window.streams.push(this);
    }
  };
`;

const streamStates = (page: Page) =>
  page.evaluate('window.streams.map(({ readyState }) => readyState === EventSource.OPEN)');

describeConsole(
  'live updates',
  (console) => {
    it('a hidden tab closes its stream, and refetches everything when it is shown again', async () => {
      const channel = await createTestChannel(console.api.deps, console.account);
      const page = await console.open('overview');
      await page.addInitScript(KEEP_STREAMS);
      await page.goto(`${console.url}/console/a/${console.account.id}/contacts`);
      await expect.poll(() => streamStates(page)).toEqual([true]);
      await page.getByText('No contacts yet').waitFor();
      await setHidden(page, true);
      expect(await streamStates(page)).toEqual([false]);
      const payload = { phone: '15005550151', name: 'Annie Easley' };
      const { headers } = channel;
      await console.api.app.inject({ method: 'POST', url: '/api/v1/contacts', headers, payload });
      await setHidden(page, false);
      await page.getByRole('link', { name: 'Annie Easley' }).waitFor();
      await expect.poll(() => streamStates(page)).toEqual([false, true]);
    });

    it('without the stream, queries are polled but a carrier check is not repeated', async () => {
      const settings = { host: 'localhost', systemId: 'lighthouse', password: 'env:NOWHERE_SET' };
      await addCarrier(console.api.deps.prisma, { name: 'smsc', type: 'smpp', settings, isActive: false });
      const page = await console.open('overview');
      await page.route('**/admin/v1/live**', (route) => route.abort());
      let checks = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/carriers/smsc/check')) checks += 1;
      });
      await page.goto('/console/installation/carriers');
      await page.getByRole('region', { name: 'smsc', exact: true }).getByRole('button', { name: 'Check' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('It does not work yet.').waitFor();
      const waitForPoll = () => page.waitForResponse((response) => response.url().endsWith('/admin/v1/carriers'));
      await waitForPoll();
      await waitForPoll();
      expect(checks).toBe(1);
      await dialog.getByRole('button', { name: 'Check again' }).click();
      await expect.poll(() => checks).toBe(2);
    });
  },
  { settings: { CARRIER_SECRETS_ENV: 'NOWHERE_SET' } },
);
