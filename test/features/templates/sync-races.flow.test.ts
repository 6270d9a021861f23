import { beforeEach, describe, expect, it } from 'vitest';
import type { Carrier } from '../../../src/carriers/carrier.js';
import type { CarrierTemplate } from '../../../src/carriers/templates.js';
import { createTemplate } from '../../../src/features/templates/create.js';
import { applyTemplateDecision } from '../../../src/features/templates/decision-store.js';
import { deleteTemplate, editTemplate } from '../../../src/features/templates/edit-and-delete.js';
import { syncTemplates } from '../../../src/features/templates/sync.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

const BODY = [{ type: 'BODY', text: 'Hello' }];
const NEW_BODY = [{ type: 'BODY', text: 'Hello again' }];
const OFFER = { name: 'offer', language: 'en_US', category: 'UTILITY' as const, components: BODY };
const SECOND_MS = 1000;

describe('a template that changes while a sync queries the carrier', () => {
  const heliograph = sharedApp({ role: 'api' });
  let channel: TestChannel;

  beforeEach(async () => {
    channel = await createTestChannel(heliograph.deps);
  });

  const getOwnedChannel = () => ({
    id: channel.channelId,
    kind: 'whatsapp' as const,
    phoneNumber: channel.phoneNumber,
    carrierSettings: null,
    accountId: channel.account.id,
    carrier: 'real',
  });
  const buildOptions = (carrier: Partial<Carrier>) => ({
    ...heliograph.deps,
    ...heliograph.deps.media,
    webhookAllowPrivate: false,
    carriers: { get: () => carrier as Carrier },
  });
  const buildAcceptingOptions = () =>
    buildOptions({
      createTemplate: async () => ({ status: 'PENDING' }),
      editTemplate: async () => {},
      deleteTemplate: async () => {},
    });
  const syncWhile = (listedTemplates: CarrierTemplate[], makeChange: () => Promise<unknown>) =>
    syncTemplates(
      buildOptions({
        listTemplates: async () => {
          await makeChange();
          return listedTemplates;
        },
      }),
      getOwnedChannel(),
    );
  const listStored = () =>
    heliograph.deps.prisma.template.findMany({
      where: { channelId: channel.channelId },
      select: { status: true, components: true },
    });
  const reportStatus = (occurredAt: Date, status: 'APPROVED' | 'REJECTED') =>
    applyTemplateDecision(heliograph.deps.pool, [channel.channelId], {
      ...OFFER,
      category: undefined,
      at: occurredAt,
      status,
    });

  it('a template that changes during a sync keeps a status reported after the list was requested', async () => {
    await addTemplate(heliograph, channel, { ...OFFER, status: 'PENDING' });
    const counts = await syncWhile([{ ...OFFER, status: 'PENDING' }], () => reportStatus(new Date(), 'APPROVED'));
    expect(counts).toEqual({ added: 0, updated: 0, disabled: 0 });
    expect(await listStored()).toMatchObject([{ status: 'APPROVED' }]);
  });

  it('a template that changes during a sync accepts an older status report that arrives after the sync', async () => {
    await addTemplate(heliograph, channel, { ...OFFER, status: 'PENDING' });
    let listedAt = 0;
    await syncWhile([{ ...OFFER, status: 'PENDING' }], async () => {
      listedAt = Date.now();
    });
    const { templatesSyncedAt } = await heliograph.deps.prisma.channel.findUniqueOrThrow({
      where: { id: channel.channelId },
    });
    expect(templatesSyncedAt?.getTime()).toBeLessThanOrEqual(listedAt);
    await reportStatus(new Date(listedAt), 'APPROVED');
    expect(await listStored()).toMatchObject([{ status: 'APPROVED' }]);
    await reportStatus(new Date(listedAt - 60 * SECOND_MS), 'REJECTED');
    expect(await listStored()).toMatchObject([{ status: 'APPROVED' }]);
  });

  it('a template that changes during a sync keeps an edit', async () => {
    const id = await addTemplate(heliograph, channel, OFFER);
    await syncWhile([{ ...OFFER, status: 'APPROVED' }], () =>
      editTemplate(buildAcceptingOptions(), getOwnedChannel(), id, { components: NEW_BODY }),
    );
    expect(await listStored()).toEqual([{ status: 'PENDING', components: NEW_BODY }]);
  });

  it('a template that changes during a sync stays deleted, or is the new one if it was created again', async () => {
    const id = await addTemplate(heliograph, channel, OFFER);
    const listedTemplates = [{ ...OFFER, status: 'APPROVED' as const }];
    const counts = await syncWhile(listedTemplates, () =>
      deleteTemplate(buildAcceptingOptions(), getOwnedChannel(), id),
    );
    expect([counts, await listStored()]).toEqual([{ added: 0, updated: 0, disabled: 0 }, []]);

    const addition = await addTemplate(heliograph, channel, OFFER);
    await syncWhile(listedTemplates, async () => {
      await deleteTemplate(buildAcceptingOptions(), getOwnedChannel(), addition);
      await createTemplate(buildAcceptingOptions(), getOwnedChannel(), { ...OFFER, components: NEW_BODY });
    });
    expect(await listStored()).toEqual([{ status: 'PENDING', components: NEW_BODY }]);
  });

  it('a template that changes during a sync is returned once by its creation if the sync inserted it first', async () => {
    const createOptions = { ...buildAcceptingOptions(), carriers: { get: () => creatingCarrier as Carrier } };
    const creatingCarrier: Partial<Carrier> = {
      createTemplate: async () => {
        await syncWhile([{ ...OFFER, status: 'APPROVED' }], async () => {});
        return { status: 'PENDING' };
      },
    };
    const created = await createTemplate(createOptions, getOwnedChannel(), OFFER);
    expect(created).toMatchObject({ name: 'offer', status: 'APPROVED' });
    expect(await listStored()).toHaveLength(1);
    await expect(createTemplate(buildAcceptingOptions(), getOwnedChannel(), OFFER)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });
});
