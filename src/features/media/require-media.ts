import type pg from 'pg';
import type { MessageContent } from '../../carriers/content.js';
import { canShow } from '../../carriers/media/media-types.js';
import { findNamedMedia, type NamedMedia } from '../../carriers/media/named-media.js';
import { AppError, type FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import type { Prisma } from '../../platform/generated/prisma/client.js';
import { findStoredMedia } from './media-store.js';

export const NO_MEDIA = 'names no media of the channel';

export type MediaLookup = { prisma: Pick<Prisma.TransactionClient, 'media'> } | { pool: pg.Pool };

export interface MediaProblems {
  missing: FieldProblem[];
  /** Wrong file type. */
  unfit: FieldProblem[];
}

/** @param components path of the template components in the request */
export async function findMediaProblems(
  lookup: MediaLookup,
  channelId: string,
  content: MessageContent | null,
  components?: string,
): Promise<MediaProblems> {
  const references = findNamedMedia(content, components);
  const problems: MediaProblems = { missing: [], unfit: [] };
  if (references.length === 0) return problems;
  const storedById = new Map((await findReferenced(lookup, channelId, references)).map((row) => [row.id, row]));
  for (const { id, kind, field } of references) {
    const media = storedById.get(id);
    if (!media) problems.missing.push({ field, rule: NO_MEDIA });
    else if (!canShow(kind, media.mimeType)) {
      problems.unfit.push({ field, rule: `names a file of type ${media.mimeType}, which cannot be sent as ${kind}` });
    }
  }
  return problems;
}

/** @throws {AppError} NOT_FOUND naming the fields of missing files; INVALID_REQUEST for files of the wrong type */
export async function requireMedia(
  lookup: MediaLookup,
  channelId: string,
  content: MessageContent | null,
  components?: string,
): Promise<void> {
  const { missing, unfit } = await findMediaProblems(lookup, channelId, content, components);
  if (unfit.length > 0) throw invalidFields([...unfit, ...missing]);
  if (missing.length === 0) return;
  const { message, fields } = invalidFields(missing);
  throw new AppError('NOT_FOUND', message, fields);
}

async function findReferenced(
  lookup: MediaLookup,
  channelId: string,
  references: readonly NamedMedia[],
): Promise<{ id: string; mimeType: string }[]> {
  const ids = references.map(({ id }) => id);
  if (!('prisma' in lookup)) return findStoredMedia(lookup.pool, channelId, ids);
  const where = { id: { in: ids }, channelId, status: 'kept' } as const;
  return lookup.prisma.media.findMany({ where, select: { id: true, mimeType: true } });
}
