import type pg from 'pg';
import type { MessageContent } from '../../carriers/content.js';
import { mayShow } from '../../carriers/media/media-types.js';
import { type NamedMedia, namedMedia } from '../../carriers/media/named-media.js';
import { AppError, type FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import type { Prisma } from '../../platform/generated/prisma/client.js';
import { findKept } from './media-store.js';

/** What is said of an id that names no file. */
export const NO_MEDIA = 'names no media of the channel';

/** Where files are looked for: on the connection of whoever is in a transaction. */
export type MediaLookup = { prisma: Pick<Prisma.TransactionClient, 'media'> } | { pool: pg.Pool };

/** What stands against the files of ours that a message names. */
export interface MediaProblems {
  /** Files that the channel does not keep. */
  missing: FieldProblem[];
  /** Files that a message of this kind does not show. */
  unfit: FieldProblem[];
}

/**
 * Looks for the files of ours that a message of a channel names.
 * @param components path of a template's components in the request
 */
export async function mediaProblems(
  lookup: MediaLookup,
  channelId: string,
  content: MessageContent | null,
  components?: string,
): Promise<MediaProblems> {
  const named = namedMedia(content, components);
  const problems: MediaProblems = { missing: [], unfit: [] };
  if (named.length === 0) return problems;
  const kept = new Map((await findNamed(lookup, channelId, named)).map((row) => [row.id, row]));
  for (const { id, kind, field } of named) {
    const found = kept.get(id);
    if (!found) problems.missing.push({ field, rule: NO_MEDIA });
    else if (!mayShow(kind, found.mimeType)) {
      problems.unfit.push({ field, rule: `names a file of the type ${found.mimeType}, which no ${kind} can be` });
    }
  }
  return problems;
}

/**
 * Lets a message pass whose files the channel keeps, before anything is charged.
 * @throws {AppError} NOT_FOUND that names the fields of those it does not; INVALID_REQUEST for files of another kind
 */
export async function requireMedia(
  lookup: MediaLookup,
  channelId: string,
  content: MessageContent | null,
  components?: string,
): Promise<void> {
  const { missing, unfit } = await mediaProblems(lookup, channelId, content, components);
  if (unfit.length > 0) throw invalidFields([...unfit, ...missing]);
  if (missing.length === 0) return;
  const { message, fields } = invalidFields(missing);
  throw new AppError('NOT_FOUND', message, fields);
}

async function findNamed(
  lookup: MediaLookup,
  channelId: string,
  named: readonly NamedMedia[],
): Promise<{ id: string; mimeType: string }[]> {
  const ids = named.map(({ id }) => id);
  if (!('prisma' in lookup)) return findKept(lookup.pool, channelId, ids);
  const where = { id: { in: ids }, channelId, status: 'kept' } as const;
  return lookup.prisma.media.findMany({ where, select: { id: true, mimeType: true } });
}
