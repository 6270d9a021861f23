import { beforeAll, expect, it } from 'vitest';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { brokenRules } from '../support/check-accessible.js';
import { describeConsole } from '../support/describe-console.js';
import { takeShot } from '../support/shot.js';
import { ALL_VIEWS, eachView } from '../support/views.js';

const AT = '2026-11-20T09:00:00.000Z';
const WORDS = { GREEN: 'Good quality', YELLOW: 'Medium quality', RED: 'Low quality', BLUE: 'Quality: BLUE' };

describeConsole('Meta’s quality rating', (console) => {
  beforeAll(async () => {
    const { deps } = console.api;
    const channel = await createTestChannel(deps, console.account);
    for (const quality of [...Object.keys(WORDS), 'UNKNOWN']) {
      const id = await addTemplate(console.api, channel, { name: `of_${quality.toLowerCase()}` });
      await deps.prisma.template.update({ where: { id }, data: { quality } });
    }
    for (const [value, number] of [
      ['GREEN', '15005550171'],
      ['RED', '15005550172'],
      [null, '15005550173'],
    ]) {
      const { channelId } = await createTestChannel(deps, console.account);
      const numberState = {
        messagingLimit: { value: 'TIER_1K', at: AT },
        quality: { value, at: AT },
        restrictions: { value: [{ type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', until: null }], at: AT },
        notices: [{ event: 'FLAGGED', severity: null, text: '', at: AT }],
      };
      await deps.prisma.channel.update({
        where: { id: channelId },
        data: { standing: numberState, phoneNumber: number as string },
      });
    }
  });

  it('the quality rating is shown for each template', async () => {
    const page = await console.open('templates');
    for (const [quality, word] of Object.entries(WORDS)) {
      await page
        .getByRole('article', { name: `of_${quality.toLowerCase()} (en_US)` })
        .getByText(word, { exact: true })
        .waitFor();
    }
    expect(
      await page
        .getByRole('article', { name: 'of_unknown (en_US)' })
        .getByText(/quality/i)
        .count(),
    ).toBe(0);
    await eachView(page, ALL_VIEWS, async (view) => {
      expect(await brokenRules(page)).toEqual([]);
      await takeShot(page, 'templates-quality', view);
    });
  });

  it('the quality rating and messaging limit are shown for each number', async () => {
    const page = await console.open('settings');
    const row = (number: string) =>
      page.getByRole('table', { name: 'Channels of the account' }).getByRole('row').filter({ hasText: number });
    await row('+15005550171').getByText('Good quality', { exact: true }).waitFor();
    await row('+15005550172').getByText('Low quality', { exact: true }).waitFor();
    await row('+15005550172').getByText('Messaging limit: TIER_1K').waitFor();
    expect(
      await row('+15005550173')
        .getByText(/quality/i)
        .count(),
    ).toBe(0);
    await eachView(page, ALL_VIEWS, async (view) => {
      expect(await brokenRules(page)).toEqual([]);
      const restriction = row('+15005550172').getByText(/^Restricted: RESTRICTED_BIZ/);
      const { x = 0, width = 0 } = (await restriction.boundingBox()) ?? {};
      const outer = await row('+15005550172').boundingBox();
      expect(x + width, 'a long code of Meta stays within its row').toBeLessThanOrEqual(
        (outer?.x ?? 0) + (outer?.width ?? 0),
      );
      await takeShot(page, 'number-quality', view);
    });
  });
});
