import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import { AppError } from '../../platform/errors/app-error.js';
import { quote } from '../../platform/errors/field-problems.js';
import type { PrismaClient, Template } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { callCarrier, type OwnedChannel, requireWhatsapp } from '../channels/call-carrier.js';
import { checkDraft } from './draft/draft.js';
import type { DraftInput } from './draft/input.js';
import { type ExampleOptions, replaceWithHandles } from './examples.js';
import { insertTemplate } from './template-store.js';

export interface TemplateStore {
  pool: Connection;
  prisma: Pick<PrismaClient, 'template'>;
}

export interface CarrierOptions extends TemplateStore {
  carriers: Pick<CarrierRegistry, 'get'>;
  /**
   * Runs `write` after the carrier has accepted a change, so that the caller can commit the write with other changes.
   * No transaction is open during the request to the carrier. If the write fails, the next sync adopts the carrier's
   * state.
   */
  commit?<T>(write: (store: TemplateStore) => Promise<T>): Promise<T>;
}

export type CreateTemplateOptions = CarrierOptions & ExampleOptions;

export function writeTemplate<T>(
  { pool, prisma, commit }: CarrierOptions,
  write: (store: TemplateStore) => Promise<T>,
): Promise<T> {
  return commit ? commit(write) : write({ pool, prisma });
}

/**
 * The template is PENDING until the carrier approves or rejects it.
 * @throws {AppError} FORBIDDEN for a channel without templates; INVALID_REQUEST naming every invalid field; CONFLICT
 * for an existing name and language; otherwise the errors of `callCarrier`
 */
export async function createTemplate(
  options: CreateTemplateOptions,
  channel: OwnedChannel,
  input: DraftInput,
): Promise<Template> {
  requireWhatsapp(channel);
  const draft = checkDraft(input);
  const { name, language } = draft;
  const { id: channelId, accountId } = channel;
  const existing = await options.prisma.template.findFirst({ where: { accountId, channelId, name, language } });
  if (existing) throw createConflict(draft);
  const { carriers } = options;
  const submitted = { ...draft, components: await replaceWithHandles(options, channel, draft) };
  const { status } = await callCarrier(carriers, channel, (carrier) => carrier.createTemplate?.(channel, submitted));
  const newTemplate = { ...draft, status, components: draft.stored as object[] };
  return await writeTemplate(options, async ({ pool, prisma }) => {
    const id = await insertTemplate(pool, channel, newTemplate);
    if (id === null) throw createConflict(draft);
    return await prisma.template.findUniqueOrThrow({ where: { id } });
  });
}

function createConflict({ name, language }: { name: string; language: string }): AppError {
  const template = `a template ${quote(name)} in the language ${language}`;
  return new AppError('CONFLICT', `The channel has ${template} already.`);
}
