import { beforeEach, describe, expect, it } from 'vitest';
import type { Carrier } from '../../../src/carriers/carrier.js';
import type { CarrierTemplate } from '../../../src/carriers/templates.js';
import { deleteTemplate, editTemplate } from '../../../src/features/templates/change.js';
import { createTemplate } from '../../../src/features/templates/create.js';
import { applyTemplateNews } from '../../../src/features/templates/news-store.js';
import { syncTemplates } from '../../../src/features/templates/sync.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

const BODY = [{ type: 'BODY', text: 'Hello' }];
const NEW_BODY = [{ type: 'BODY', text: 'Hello again' }];
const OFFER = { name: 'offer', language: 'en_US', category: 'UTILITY' as const, components: BODY };
const SECOND_MS = 1000;

describe('what becomes of a template while a sync asks the carrier', () => {
  const heliograph = sharedApp({ role: 'api' });
  let channel: TestChannel;

  beforeEach(async () => {
    channel = await createTestChannel(heliograph.deps);
  });

  const owned = () => ({
    id: channel.channelId,
    kind: 'whatsapp' as const,
    phoneNumber: channel.phoneNumber,
    carrierSettings: null,
    accountId: channel.account.id,
    carrier: 'real',
  });
  const optionsWith = (carrier: Partial<Carrier>) => ({
    ...heliograph.deps,
    ...heliograph.deps.media,
    webhookAllowPrivate: false,
    carriers: { get: () => carrier as Carrier },
  });
  /** Takes all that it is handed. */
  const willing = () =>
    optionsWith({
      createTemplate: async () => ({ status: 'PENDING' }),
      editTemplate: async () => {},
      deleteTemplate: async () => {},
    });
  /** A sync whose carrier has listed something, and whose answer takes as long as something else. */
  const syncWhile = (listed: CarrierTemplate[], meanwhile: () => Promise<unknown>) =>
    syncTemplates(
      optionsWith({
        listTemplates: async () => {
          await meanwhile();
          return listed;
        },
      }),
      owned(),
    );
  const found = () =>
    heliograph.deps.prisma.template.findMany({
      where: { channelId: channel.channelId },
      select: { status: true, components: true },
    });
  const tell = (at: Date, status: 'APPROVED' | 'REJECTED') =>
    applyTemplateNews(heliograph.deps.pool, [channel.channelId], { ...OFFER, category: undefined, at, status });

  it('the decision that is told counts, and not the one that was listed before', async () => {
    await addTemplate(heliograph, channel, { ...OFFER, status: 'PENDING' });
    const counts = await syncWhile([{ ...OFFER, status: 'PENDING' }], () => tell(new Date(), 'APPROVED'));
    expect(counts).toEqual({ added: 0, updated: 0, disabled: 0 });
    expect(await found()).toMatchObject([{ status: 'APPROVED' }]);
  });

  it('and so does one of that time that is told after the sync', async () => {
    await addTemplate(heliograph, channel, { ...OFFER, status: 'PENDING' });
    let listedAt = 0;
    await syncWhile([{ ...OFFER, status: 'PENDING' }], async () => {
      listedAt = Date.now();
    });
    const { templatesSyncedAt } = await heliograph.deps.prisma.channel.findUniqueOrThrow({
      where: { id: channel.channelId },
    });
    expect(templatesSyncedAt?.getTime()).toBeLessThanOrEqual(listedAt);
    await tell(new Date(listedAt), 'APPROVED');
    expect(await found()).toMatchObject([{ status: 'APPROVED' }]);
    await tell(new Date(listedAt - 60 * SECOND_MS), 'REJECTED');
    expect(await found()).toMatchObject([{ status: 'APPROVED' }]);
  });

  it('an edit stays', async () => {
    const id = await addTemplate(heliograph, channel, OFFER);
    await syncWhile([{ ...OFFER, status: 'APPROVED' }], () =>
      editTemplate(willing(), owned(), id, { components: NEW_BODY }),
    );
    expect(await found()).toEqual([{ status: 'PENDING', components: NEW_BODY }]);
  });

  it('one that is deleted stays away, and one that is made anew is the new one', async () => {
    const id = await addTemplate(heliograph, channel, OFFER);
    const listed = [{ ...OFFER, status: 'APPROVED' as const }];
    const counts = await syncWhile(listed, () => deleteTemplate(willing(), owned(), id));
    expect([counts, await found()]).toEqual([{ added: 0, updated: 0, disabled: 0 }, []]);

    const again = await addTemplate(heliograph, channel, OFFER);
    await syncWhile(listed, async () => {
      await deleteTemplate(willing(), owned(), again);
      await createTemplate(willing(), owned(), { ...OFFER, components: NEW_BODY });
    });
    expect(await found()).toEqual([{ status: 'PENDING', components: NEW_BODY }]);
  });

  it('one that is handed in is answered with what the sync brought, once', async () => {
    const handedIn = { ...willing(), carriers: { get: () => creating as Carrier } };
    const creating: Partial<Carrier> = {
      createTemplate: async () => {
        await syncWhile([{ ...OFFER, status: 'APPROVED' }], async () => {});
        return { status: 'PENDING' };
      },
    };
    const made = await createTemplate(handedIn, owned(), OFFER);
    expect(made).toMatchObject({ name: 'offer', status: 'APPROVED' });
    expect(await found()).toHaveLength(1);
    await expect(createTemplate(willing(), owned(), OFFER)).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
