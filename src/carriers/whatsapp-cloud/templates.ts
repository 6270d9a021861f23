import type { TemplateStatus } from '../../platform/generated/prisma/client.js';
import { CarrierError } from '../carrier-error.js';
import { isPosition, placeholderKeys } from '../template-placeholders.js';
import type { CarrierTemplate, TemplateDraft } from '../templates.js';

/** Templates that one page holds. */
const PAGE = 100;
/** A business account holds 6,000 templates at the most (Meta, "Template limits"). */
const MAX_PAGES = 200;

type Json = Readonly<Record<string, unknown>>;

/** Gets one page of templates. */
type AskPage = (query: Record<string, string>) => Promise<Json>;

/** Meta's status of a template, by ours. */
const STATUSES: ReadonlyMap<unknown, TemplateStatus> = new Map([
  ['APPROVED', 'APPROVED'],
  ['PENDING', 'PENDING'],
  ['IN_APPEAL', 'PENDING'],
  ['REJECTED', 'REJECTED'],
  ['PAUSED', 'PAUSED'],
]);

/** Whatever Meta calls it, a template that is none of these cannot be sent. */
export function templateStatus(status: unknown): TemplateStatus {
  return STATUSES.get(status) ?? 'DISABLED';
}

/** Of what Meta tells by a webhook, what does not move a template: it is warned of, and can be sent as before. */
const NO_STATUSES: ReadonlySet<unknown> = new Set(['FLAGGED', 'LOCKED', 'UNLOCKED', 'LIMIT_EXCEEDED']);
const EVENTS: ReadonlyMap<unknown, TemplateStatus> = new Map([
  ...STATUSES,
  ['REINSTATED', 'APPROVED'],
  ['UNARCHIVED', 'APPROVED'],
  ['ARCHIVED', 'DISABLED'],
  ['DISABLED', 'DISABLED'],
  ['PENDING_DELETION', 'DISABLED'],
  ['DELETED', 'DISABLED'],
] as const);

/**
 * Our status of a template after an event ("Webhooks: message_template_status_update").
 * @returns null where it stays what it is, undefined for an event that is not known
 */
export function newTemplateStatus(event: unknown): TemplateStatus | null | undefined {
  return NO_STATUSES.has(event) ? null : EVENTS.get(event);
}

/** The body of `POST /{business-account-id}/message_templates`. Meta takes parameters for numbered ones unless told. */
export function templateBody({ name, language, category, components }: TemplateDraft): object {
  const keys = textsOf(components).flatMap(placeholderKeys);
  const named = keys.some((key) => !isPosition(key));
  return { name, language, category, components, ...(named && { parameter_format: 'NAMED' }) };
}

/** The texts of components, and of the cards of a carousel. */
function textsOf(components: readonly object[]): string[] {
  return components.flatMap((component) => {
    const { text, cards } = component as { text?: unknown; cards?: { components?: object[] }[] };
    if (typeof text === 'string') return [text];
    return Array.isArray(cards) ? cards.flatMap((card) => textsOf(card.components ?? [])) : [];
  });
}

/**
 * Reads every page of `GET /{business-account-id}/message_templates`. The cursor is followed and not Meta's `next`, which
 * is a whole URL: the token goes to no other host.
 * @param ask gets one page
 * @throws {CarrierError} when a page is not one, or the pages do not end
 */
export async function readTemplates(ask: AskPage): Promise<CarrierTemplate[]> {
  const found = await readPages(ask, { fields: 'name,language,status,category,components' });
  return found.flatMap(readTemplate);
}

/**
 * Meta's id of a template, by which alone it can be changed, and only this language of it deleted; null when the business
 * account has no such template.
 * @throws {CarrierError} as `readTemplates`
 */
export async function findTemplateId(
  ask: AskPage,
  { name, language }: { name: string; language: string },
): Promise<string | null> {
  const found = await readPages(ask, { fields: 'id,name,language', name });
  const template = found.map((each) => (each ?? {}) as Json).find((each) => isOne(each, name, language));
  return typeof template?.id === 'string' ? template.id : null;
}

function isOne(template: Json, name: string, language: string): boolean {
  return template.name === name && template.language === language;
}

async function readPages(ask: AskPage, query: Record<string, string>): Promise<unknown[]> {
  const found: unknown[] = [];
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data, paging } = await ask({
      ...query,
      limit: String(PAGE),
      ...(after !== null && { after }),
    });
    if (!Array.isArray(data)) throw strangePage('has no list of templates');
    found.push(...(data as unknown[]));
    const { next, cursors } = (paging ?? {}) as { next?: unknown; cursors?: { after?: unknown } };
    // Only a page that another one follows has `next`.
    if (next === undefined) return found;
    if (typeof cursors?.after !== 'string' || cursors.after === after) throw strangePage('does not say how it goes on');
    after = cursors.after;
  }
  throw strangePage('is one of too many');
}

function readTemplate(value: unknown): CarrierTemplate[] {
  const { name, language, category, components, status } = (value ?? {}) as Json;
  if (typeof name !== 'string' || typeof language !== 'string') return [];
  return [
    {
      name,
      language,
      category: typeof category === 'string' ? category : 'UTILITY',
      status: templateStatus(status),
      components: Array.isArray(components)
        ? components.filter((each) => typeof each === 'object' && each !== null)
        : [],
    },
  ];
}

function strangePage(what: string): CarrierError {
  return CarrierError.refused('BAD_ANSWER', `A page of Meta's templates ${what}.`, { retryable: true });
}
