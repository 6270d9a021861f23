import { AppError, invalidField, notFound } from '../../platform/errors/app-error.js';
import type { Prisma, PrismaClient, Template } from '../../platform/generated/prisma/client.js';
import { withTransaction } from '../../platform/store/with-transaction.js';
import { callCarrier, type OwnedChannel, requireWhatsapp } from '../channels/call-carrier.js';
import { type CarrierOptions, type CreateTemplateOptions, writeTemplate } from './create.js';
import { recordEdit } from './decision-store.js';
import { checkDraft } from './draft/draft.js';
import type { DraftInput } from './draft/input.js';
import { replaceWithHandles } from './examples.js';
import { claimTemplate, lockTemplate, type TemplateState, unclaimTemplate } from './template-store.js';

/** A template's name and language identify the template and cannot change. */
export type TemplateChange = Pick<DraftInput, 'components'> & Partial<Omit<DraftInput, 'components'>>;

/** Meta, "Edit templates". */
const EDITABLE_STATUSES: readonly string[] = ['APPROVED', 'REJECTED', 'PAUSED'];

/**
 * The template is unchanged after any error. `expect` receives the template's current state and throws to reject an
 * outdated edit. The last call of `expect` happens under a lock, so that only one of two concurrent edits succeeds.
 * @throws {AppError} NOT_FOUND; INVALID_REQUEST naming every invalid field; CONFLICT in a status that allows no edits;
 * otherwise the errors of `callCarrier`
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
  // An outdated version is rejected before the rules are checked, so that its editor learns of the conflict first.
  expect?.(template);
  const { name, language, status } = template;
  for (const field of ['name', 'language'] as const) {
    if (change[field] !== undefined && change[field] !== template[field]) {
      throw invalidField(field, 'cannot be changed; create another template instead');
    }
  }
  const category = change.category ?? template.category;
  if (category !== template.category && status === 'APPROVED') {
    throw invalidField('category', 'cannot be changed for an APPROVED template');
  }
  const draft = checkDraft({ name, language, category, components: change.components });
  if (!EDITABLE_STATUSES.includes(status)) {
    throw new AppError(
      'CONFLICT',
      `The template is ${status}; it can be edited when it is ${EDITABLE_STATUSES.join(', ')}.`,
    );
  }
  const edit = {
    name,
    language,
    category: category === template.category ? null : category,
  };
  const components = draft.stored as Prisma.InputJsonValue;
  const where = { id, accountId: channel.accountId, channelId: channel.id };
  return await withClaim(options, channel, { id, expect }, async () => {
    const submitted = { ...edit, components: await replaceWithHandles(options, channel, draft) };
    await callCarrier(carriers, channel, (carrier) => carrier.editTemplate?.(channel, submitted));
    return writeTemplate(options, async ({ prisma, pool }) => {
      await prisma.template.updateMany({ where, data: { category, components, status: 'PENDING' } });
      await recordEdit(pool, id);
      return requireTemplate(prisma, channel, id);
    });
  });
}

/**
 * The version is increased before the request to the carrier, because no lock is held during the request. If the change
 * fails, the version is restored.
 */
async function withClaim<T>(
  { pool }: CarrierOptions,
  channel: OwnedChannel,
  { id, expect }: { id: string; expect: ((now: TemplateState) => void) | undefined },
  change: () => Promise<T>,
): Promise<T> {
  if (!expect) return change();
  const claim = await withTransaction(pool, async (client) => {
    const now = await lockTemplate(client, id, channel);
    if (!now) throw templateNotFound();
    expect(now);
    return { before: now.updatedAt, claimedAt: await claimTemplate(client, id, channel.id) };
  });
  try {
    return await change();
  } catch (error) {
    // If the version cannot be restored, the editor only has to reload the template.
    await unclaimTemplate(pool, { id, channelId: channel.id }, claim).catch(() => undefined);
    throw error;
  }
}

/**
 * Keeps the template if the carrier does not delete it.
 * @throws {AppError} NOT_FOUND; otherwise the errors of `callCarrier`
 */
export async function deleteTemplate(options: CarrierOptions, channel: OwnedChannel, id: string): Promise<void> {
  const { prisma: readClient, carriers } = options;
  requireWhatsapp(channel);
  const { name, language } = await requireTemplate(readClient, channel, id);
  await callCarrier(carriers, channel, (carrier) => carrier.deleteTemplate?.(channel, { name, language }));
  const where = { id, accountId: channel.accountId, channelId: channel.id };
  await writeTemplate(options, async ({ prisma }) => {
    const { count } = await prisma.template.deleteMany({ where });
    // A concurrent request has already deleted the template.
    if (count === 0) throw templateNotFound();
  });
}

async function requireTemplate(
  prisma: Pick<PrismaClient, 'template'>,
  channel: OwnedChannel,
  id: string,
): Promise<Template> {
  const where = { id, accountId: channel.accountId, channelId: channel.id };
  const template = await prisma.template.findFirst({ where });
  if (!template) throw templateNotFound();
  return template;
}

function templateNotFound(): AppError {
  return notFound('template');
}
