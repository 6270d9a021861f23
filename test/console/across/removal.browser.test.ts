import type { Page, Request } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { createAutomation, triggerAutomation } from '../../support/automations.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { describeConsole } from '../support/describe-console.js';
import type { OpenConsole } from '../support/open-console.js';
import { expectProblems } from '../support/page-problems.js';

const NUMBER = '15005550151';

interface ItemPage {
  page: Page;
  id: string;
}

describeConsole('removing an item on its own page', (console) => {
  let channel: TestChannel;
  beforeAll(async () => {
    channel = await createTestChannel(console.api.deps, console.account);
  });

  const create = async (path: string, payload: object) => {
    const url = `/api/v1/${path}`;
    const response = await console.api.app.inject({ method: 'POST', url, headers: channel.headers, payload });
    return response.json().data.id as string;
  };
  const openPage = async (path: string, id: string, label: string): Promise<ItemPage> => {
    const page = await openPolling(console, `${path}channel=${channel.channelId}`);
    await page.getByText(label).first().waitFor();
    return { page, id };
  };

  const openItem = {
    webhook: async () => {
      const id = await create('webhooks', { url: 'https://nobody.invalid/removed', events: ['message.status'] });
      await create(`webhooks/${id}/test`, {});
      return openPage(`webhooks/${id}?`, id, 'webhook.test');
    },
    automation: async () => {
      const id = await createAutomation(console.api, channel, [{ type: 'wait', seconds: 7200 }]);
      await triggerAutomation(console.api, channel, id, { phone: NUMBER });
      return openPage(`automations/${id}?`, id, 'Waiting until');
    },
    contact: async () => {
      const id = await create('contacts', { phone: '15005550152', name: 'Annie Easley' });
      return openPage(`contacts?contact=${id}&`, id, 'Save');
    },
  };

  it.each([
    ['webhook', 'Delete webhook', 'No webhooks yet'],
    ['automation', 'Delete automation', 'No automations yet'],
    ['contact', 'Delete permanently', '1 deleted'],
  ] as const)('the page of a removed %s sends no more requests about it', async (kind, confirm, shownAfterwards) => {
    const { page, id } = await openItem[kind]();
    const requests: string[] = [];
    const changes: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') changes.push(`${request.method()} ${request.url()}`);
    });
    const record = (request: Request) => {
      if (request.method() === 'GET' && request.url().includes(id)) requests.push(request.url());
    };
    await page.route(isRemoval, async (route) => {
      const response = await route.fetch();
      page.on('request', record);
      await waitForPollingRound(page);
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: confirm }).click();
    await page.getByText(shownAfterwards).first().waitFor();
    await page.waitForRequest(isAccount);
    expect(requests).toEqual([]);
    // The dialog's confirm button must not submit the form that contains the delete button.
    expect(changes).toHaveLength(1);
  });

  it('the page of a webhook keeps refetching it if the removal is refused', async () => {
    const { page, id } = await openItem.webhook();
    expectProblems(page, /status of 500/);
    const error = { code: 'INTERNAL', message: 'Not now.' };
    await page.route(isRemoval, (route) => route.fulfill({ status: 500, json: { success: false, error } }));
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('alert').waitFor();
    await page.waitForRequest((request) => request.url().includes(`${id}/deliveries`));
    await page.waitForRequest((request) => request.url().includes(`${id}/deliveries`));
  });
});

/** Opens a page that polls every two seconds, because its live stream is blocked. */
async function openPolling(console: OpenConsole, path: string): Promise<Page> {
  const page = await console.open('opt-outs');
  await page.route('**/admin/v1/live?*', (route) => route.abort());
  await page.goto(`${console.url}/console/a/${console.account.id}/${path}`);
  return page;
}

const isRemoval = /\/(webhooks\/[^/]+|automations\/[^/]+|contacts\/bulk-delete)$/;

const isAccount = (request: Request) => /\/accounts\/[^/]+$/.test(request.url());

/** Waits for two account requests, because the first may belong to a polling round that has already started. */
async function waitForPollingRound(page: Page): Promise<void> {
  await page.waitForRequest(isAccount);
  await page.waitForRequest(isAccount);
}
