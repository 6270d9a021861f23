import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import { AppError } from '../../platform/errors/app-error.js';
import { quote } from '../../platform/errors/field-problems.js';
import type { PrismaClient, Template } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/within.js';
import { askCarrier, type OwnedChannel, requireWhatsapp } from '../channels/ask-carrier.js';
import { checkDraft } from './draft/draft.js';
import type { DraftInput } from './draft/input.js';
import { type ExampleOptions, withHandles } from './examples.js';
import { insertTemplate } from './template-store.js';

/** The store as templates are written to it. */
export interface TemplateStore {
  pool: Connection;
  prisma: Pick<PrismaClient, 'template'>;
}

export interface AskingOptions extends TemplateStore {
  carriers: Pick<CarrierRegistry, 'get'>;
  /**
   * Runs what is written once the carrier has agreed, so that a caller commits it with what else is to be written of it;
   * nobody waits for a carrier inside a transaction. Where it fails, a sync takes over what the carrier has.
   */
  commit?<T>(write: (store: TemplateStore) => Promise<T>): Promise<T>;
}

export type CreateTemplateOptions = AskingOptions & ExampleOptions;

/** Writes to the store, in the caller's transaction where there is one. */
export function written<T>(
  { pool, prisma, commit }: AskingOptions,
  write: (store: TemplateStore) => Promise<T>,
): Promise<T> {
  return commit ? commit(write) : write({ pool, prisma });
}

/**
 * Makes a template and hands it in for approval. Until its carrier has decided, it is PENDING.
 * @throws {AppError} FORBIDDEN for a channel that sends no templates; INVALID_REQUEST with every field that breaks a rule; CONFLICT when the channel has a template of this
 * name and language; CARRIER_REFUSED or UNAVAILABLE when the carrier did not take it: then it is not there
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
  const rival = await options.prisma.template.findFirst({ where: { accountId, channelId, name, language } });
  if (rival) throw taken(draft);
  const { carriers } = options;
  const handedIn = { ...draft, components: await withHandles(options, channel, draft) };
  const { status } = await askCarrier(carriers, channel, (carrier) => carrier.createTemplate?.(channel, handedIn));
  const made = { ...draft, status, components: draft.held as object[] };
  return await written(options, async ({ pool, prisma }) => {
    const id = await insertTemplate(pool, channel, made);
    if (id === null) throw taken(draft);
    return await prisma.template.findUniqueOrThrow({ where: { id } });
  });
}

function taken({ name, language }: { name: string; language: string }): AppError {
  const what = `a template ${quote(name)} in the language ${language}`;
  return new AppError('CONFLICT', `The channel has ${what} already.`);
}
