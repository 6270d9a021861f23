import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { Prisma, PrismaClient, Template } from '../../platform/generated/prisma/client.js';
import { within } from '../../platform/store/within.js';
import { askCarrier, type OwnedChannel, requireWhatsapp } from '../channels/ask-carrier.js';
import { type AskingOptions, type CreateTemplateOptions, written } from './create.js';
import { checkDraft } from './draft/draft.js';
import type { DraftInput } from './draft/input.js';
import { withHandles } from './examples.js';
import { noteEdited } from './news-store.js';
import { claimTemplate, lockTemplate, type TemplateState, unclaimTemplate } from './template-store.js';

/** What of a template is to change. Name and language are its key, and stay. */
export type TemplateChange = Pick<DraftInput, 'components'> & Partial<Omit<DraftInput, 'components'>>;

/** Statuses in which Meta lets a template be edited ("Edit templates"). */
const EDITABLE: readonly string[] = ['APPROVED', 'REJECTED', 'PAUSED'];

/**
 * Gives a template other components and hands it in for review again: until its carrier has decided, it is PENDING and
 * cannot be sent.
 * @throws {AppError} NOT_FOUND; INVALID_REQUEST with every field that breaks a rule, the category of an approved template
 * and another name or language among them; CONFLICT in a status in which nothing can be edited; FORBIDDEN,
 * CARRIER_REFUSED or UNAVAILABLE as `askCarrier`: then it is as it was
 * @param expect told what it is now, in the end while nobody else changes it and before the carrier is asked; what it throws
 * ends it. Of two who were told the same, one changes it
 */
export async function editTemplate(
  options: CreateTemplateOptions,
  channel: OwnedChannel,
  id: string,
  change: TemplateChange,
  expect?: (now: TemplateState) => void,
): Promise<Template> {
  const { carriers } = options;
  requireWhatsapp(channel);
  const template = await requireTemplate(options.prisma, channel, id);
  // Before the rules: who is behind is told so, and not that it cannot be edited in the status that it has by now.
  expect?.(template);
  const { name, language, status } = template;
  for (const field of ['name', 'language'] as const) {
    if (change[field] !== undefined && change[field] !== template[field]) {
      throw invalidField(field, 'cannot be changed: make another template');
    }
  }
  const category = change.category ?? template.category;
  if (category !== template.category && status === 'APPROVED') {
    throw invalidField('category', 'of an APPROVED template cannot be changed');
  }
  const draft = checkDraft({ name, language, category, components: change.components });
  if (!EDITABLE.includes(status)) {
    throw new AppError('CONFLICT', `The template is ${status}; it can be edited when it is ${EDITABLE.join(', ')}.`);
  }
  const edit = {
    name,
    language,
    category: category === template.category ? null : category,
  };
  const components = draft.held as Prisma.InputJsonValue;
  const where = { id, accountId: channel.accountId, channelId: channel.id };
  return await claimed(options, channel, { id, expect }, async () => {
    const handedIn = { ...edit, components: await withHandles(options, channel, draft) };
    await askCarrier(carriers, channel, (carrier) => carrier.editTemplate?.(channel, handedIn));
    return written(options, async ({ prisma, pool }) => {
      await prisma.template.updateMany({ where, data: { category, components, status: 'PENDING' } });
      await noteEdited(pool, id);
      return requireTemplate(prisma, channel, id);
    });
  });
}

/**
 * Runs a change that asks the carrier, which is not waited for under a lock, and what it took cannot be taken back: so the
 * version becomes another before, and is what it was again where the change fails.
 */
async function claimed<T>(
  { pool }: AskingOptions,
  channel: OwnedChannel,
  { id, expect }: { id: string; expect: ((now: TemplateState) => void) | undefined },
  change: () => Promise<T>,
): Promise<T> {
  if (!expect) return change();
  const claim = await within(pool, async (client) => {
    const now = await lockTemplate(client, id, channel);
    if (!now) throw noTemplate();
    expect(now);
    return { before: now.updatedAt, claimed: await claimTemplate(client, id, channel.id) };
  });
  try {
    return await change();
  } catch (error) {
    // Where that fails, it only has to be opened anew.
    await unclaimTemplate(pool, { id, channelId: channel.id }, claim).catch(() => undefined);
    throw error;
  }
}

/**
 * Deletes a template at its carrier and here. Messages that were accepted with it are the carrier's to
 * take or refuse.
 * @throws {AppError} NOT_FOUND; FORBIDDEN, CARRIER_REFUSED or UNAVAILABLE as `askCarrier`: then it is there as before
 */
export async function deleteTemplate(options: AskingOptions, channel: OwnedChannel, id: string): Promise<void> {
  const { prisma: reading, carriers } = options;
  requireWhatsapp(channel);
  const { name, language } = await requireTemplate(reading, channel, id);
  await askCarrier(carriers, channel, (carrier) => carrier.deleteTemplate?.(channel, { name, language }));
  const where = { id, accountId: channel.accountId, channelId: channel.id };
  await written(options, async ({ prisma }) => {
    const { count } = await prisma.template.deleteMany({ where });
    // Somebody else was faster.
    if (count === 0) throw noTemplate();
  });
}

async function requireTemplate(
  prisma: Pick<PrismaClient, 'template'>,
  channel: OwnedChannel,
  id: string,
): Promise<Template> {
  const where = { id, accountId: channel.accountId, channelId: channel.id };
  const template = await prisma.template.findFirst({ where });
  if (!template) throw noTemplate();
  return template;
}

function noTemplate(): AppError {
  return new AppError('NOT_FOUND', 'There is no template with this id.');
}
