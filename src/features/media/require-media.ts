import type pg from 'pg';
import type { MessageContent } from '../../carriers/content.js';
import { mayShow } from '../../carriers/media/media-types.js';
import { namedMedia } from '../../carriers/media/named-media.js';
import { AppError, type FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import { findKept } from './media-store.js';

/** What is said of an id that names no file. */
export const NO_MEDIA = 'names no media of the channel';

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
  { pool }: { pool: pg.Pool },
  channelId: string,
  content: MessageContent | null,
  components?: string,
): Promise<MediaProblems> {
  const named = namedMedia(content, components);
  const problems: MediaProblems = { missing: [], unfit: [] };
  if (named.length === 0) return problems;
  const kept = new Map(
    (
      await findKept(
        pool,
        channelId,
        named.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  );
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
  options: { pool: pg.Pool },
  channelId: string,
  content: MessageContent | null,
  components?: string,
): Promise<void> {
  const { missing, unfit } = await mediaProblems(options, channelId, content, components);
  if (unfit.length > 0) throw invalidFields([...unfit, ...missing]);
  if (missing.length === 0) return;
  const { message, fields } = invalidFields(missing);
  throw new AppError('NOT_FOUND', message, fields);
}
