import { beforeAll, expect, it } from 'vitest';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { findViolations } from '../support/check-accessible.js';
import { describeConsole } from '../support/describe-console.js';
import { takeShot } from '../support/take-shots.js';
import { ALL_VIEWS, forEachView } from '../support/views.js';

const OBSERVED_AT = '2026-11-20T09:00:00.000Z';
const LABELS = { GREEN: 'Good quality', YELLOW: 'Medium quality', RED: 'Low quality', BLUE: 'Quality: BLUE' };

describeConsole('Meta’s quality rating', (console) => {
  beforeAll(async () => {
    const { deps } = console.api;
    const channel = await createTestChannel(deps, console.account);
    for (const quality of [...Object.keys(LABELS), 'UNKNOWN']) {
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
        messagingLimit: { value: 'TIER_1K', at: OBSERVED_AT },
        quality: { value, at: OBSERVED_AT },
        restrictions: { value: [{ type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', until: null }], at: OBSERVED_AT },
        notices: [{ event: 'FLAGGED', severity: null, text: '', at: OBSERVED_AT }],
      };
      await deps.prisma.channel.update({
        where: { id: channelId },
        data: { standing: numberState, phoneNumber: number as string },
      });
    }
  });

  it('the quality rating is shown for each template', async () => {
    const page = await console.open('templates');
    for (const [quality, label] of Object.entries(LABELS)) {
      await page
        .getByRole('article', { name: `of_${quality.toLowerCase()} (en_US)` })
        .getByText(label, { exact: true })
        .waitFor();
    }
    expect(
      await page
        .getByRole('article', { name: 'of_unknown (en_US)' })
        .getByText(/quality/i)
        .count(),
    ).toBe(0);
    await forEachView(page, ALL_VIEWS, async (view) => {
      expect(await findViolations(page)).toEqual([]);
      await takeShot(page, 'templates-quality', view);
    });
  });

  it('the quality rating and messaging limit are shown for each number', async () => {
    const page = await console.open('settings');
    const findRow = (number: string) =>
      page.getByRole('table', { name: 'Channels of the account' }).getByRole('row').filter({ hasText: number });
    await findRow('+15005550171').getByText('Good quality', { exact: true }).waitFor();
    await findRow('+15005550172').getByText('Low quality', { exact: true }).waitFor();
    await findRow('+15005550172').getByText('Messaging limit: TIER_1K').waitFor();
    expect(
      await findRow('+15005550173')
        .getByText(/quality/i)
        .count(),
    ).toBe(0);
    await forEachView(page, ALL_VIEWS, async (view) => {
      expect(await findViolations(page)).toEqual([]);
      const restriction = findRow('+15005550172').getByText(/^Restricted: RESTRICTED_BIZ/);
      const { x = 0, width = 0 } = (await restriction.boundingBox()) ?? {};
      const rowBox = await findRow('+15005550172').boundingBox();
      expect(x + width, 'a long code of Meta stays within its row').toBeLessThanOrEqual(
        (rowBox?.x ?? 0) + (rowBox?.width ?? 0),
      );
      await takeShot(page, 'number-quality', view);
    });
  });
});
