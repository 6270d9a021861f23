import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { TemplateChannel } from '../../carriers/templates.js';
import { AppError } from '../../platform/errors/app-error.js';
import { quote } from '../../platform/errors/field-problems.js';
import type { Prisma, PrismaClient, Template } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { isUniqueViolation } from '../../platform/store/prisma-errors.js';
import { type AskedChannel, askCarrier, requireTemplates } from './ask-carrier.js';
import { checkDraft } from './draft.js';
import type { DraftInput } from './draft-input.js';

/** The channel whose templates are changed. */
export interface OwnedChannel extends TemplateChannel, AskedChannel {
  accountId: string;
}

export interface CreateTemplateOptions {
  prisma: Pick<PrismaClient, 'template'>;
  carriers: Pick<CarrierRegistry, 'get'>;
}

/**
 * Makes a template and hands it in for approval. Until its carrier has decided, it is PENDING.
 * @throws {AppError} FORBIDDEN for a channel that sends no templates; INVALID_REQUEST with every field that breaks a rule; CONFLICT when the channel has a template of this
 * name and language; CARRIER_REFUSED or UNAVAILABLE when the carrier did not take it: then it is not there
 */
export async function createTemplate(
  { prisma, carriers }: CreateTemplateOptions,
  channel: OwnedChannel,
  input: DraftInput,
): Promise<Template> {
  requireTemplates(channel);
  const draft = checkDraft(input);
  const made = await insertPending(prisma, channel, draft);
  try {
    const { status } = await askCarrier(carriers, channel, (carrier) => carrier.createTemplate?.(channel, draft));
    if (status === made.status) return made;
    return await prisma.template.update({ where: { id: made.id }, data: { status } });
  } catch (error) {
    await prisma.template.deleteMany({ where: { id: made.id } });
    throw error;
  }
}

async function insertPending(
  prisma: CreateTemplateOptions['prisma'],
  channel: OwnedChannel,
  draft: ReturnType<typeof checkDraft>,
) {
  const { name, language, category } = draft;
  const components = draft.held as Prisma.InputJsonValue;
  const { id: channelId, accountId } = channel;
  try {
    return await prisma.template.create({
      data: { id: newId(), accountId, channelId, name, language, category, status: 'PENDING', components },
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const what = `a template ${quote(name)} in the language ${language}`;
    throw new AppError('CONFLICT', `The channel has ${what} already.`, [], { cause: error });
  }
}
