import type { TemplateStatus } from '../../platform/generated/prisma/client.js';
import { CarrierError } from '../carrier-error.js';
import { isPositionKey, listPlaceholderKeys } from '../template-placeholders.js';
import type { CarrierTemplate, TemplateDraft } from '../templates.js';

const PAGE_SIZE = 100;
/** A business account has at most 6,000 templates (Meta, "Template limits"). */
const MAX_PAGES = 200;

type Json = Readonly<Record<string, unknown>>;

type FetchPage = (query: Record<string, string>) => Promise<Json>;

const STATUSES: ReadonlyMap<unknown, TemplateStatus> = new Map([
  ['APPROVED', 'APPROVED'],
  ['PENDING', 'PENDING'],
  ['IN_APPEAL', 'PENDING'],
  ['REJECTED', 'REJECTED'],
  ['PAUSED', 'PAUSED'],
]);

/** Templates with any other status of Meta cannot be sent. */
export function toTemplateStatus(status: unknown): TemplateStatus {
  return STATUSES.get(status) ?? 'DISABLED';
}

/** Events after which the template can still be sent. */
const EVENTS_WITHOUT_STATUS: ReadonlySet<unknown> = new Set(['FLAGGED', 'LOCKED', 'UNLOCKED', 'LIMIT_EXCEEDED']);
const STATUS_BY_EVENT: ReadonlyMap<unknown, TemplateStatus> = new Map([
  ...STATUSES,
  ['REINSTATED', 'APPROVED'],
  ['UNARCHIVED', 'APPROVED'],
  ['ARCHIVED', 'DISABLED'],
  ['DISABLED', 'DISABLED'],
  ['PENDING_DELETION', 'DISABLED'],
  ['DELETED', 'DISABLED'],
] as const);

/**
 * Returns null if an event of Meta ("Webhooks: message_template_status_update") does not change the status, and
 * undefined for an unknown event.
 */
export function findStatusAfterEvent(event: unknown): TemplateStatus | null | undefined {
  return EVENTS_WITHOUT_STATUS.has(event) ? null : STATUS_BY_EVENT.get(event);
}

/** Without `parameter_format`, Meta expects numbered placeholders. */
export function buildTemplateBody({ name, language, category, components }: TemplateDraft): object {
  const keys = collectTexts(components).flatMap(listPlaceholderKeys);
  const hasNamedKeys = keys.some((key) => !isPositionKey(key));
  return { name, language, category, components, ...(hasNamedKeys && { parameter_format: 'NAMED' }) };
}

/** Collects the texts of a template, including those of carousel cards. */
function collectTexts(components: readonly object[]): string[] {
  return components.flatMap((component) => {
    const { text, cards } = component as { text?: unknown; cards?: { components?: object[] }[] };
    if (typeof text === 'string') return [text];
    return Array.isArray(cards) ? cards.flatMap((card) => collectTexts(card.components ?? [])) : [];
  });
}

/**
 * Pages are fetched by cursor, because Meta's `next` is a full URL, which could send the token to another host.
 * @throws {CarrierError}
 */
export async function fetchTemplates(fetchPage: FetchPage): Promise<CarrierTemplate[]> {
  const templates = await readPages(fetchPage, { fields: 'name,language,status,category,components' });
  return templates.flatMap(readTemplate);
}

/** @throws {CarrierError} as `fetchTemplates` */
export async function findTemplateId(
  fetchPage: FetchPage,
  { name, language }: { name: string; language: string },
): Promise<string | null> {
  const templates = await readPages(fetchPage, { fields: 'id,name,language', name });
  const template = templates
    .map((template) => (template ?? {}) as Json)
    .find((each) => matchesKey(each, name, language));
  return typeof template?.id === 'string' ? template.id : null;
}

function matchesKey(template: Json, name: string, language: string): boolean {
  return template.name === name && template.language === language;
}

async function readPages(fetchPage: FetchPage, query: Record<string, string>): Promise<unknown[]> {
  const templates: unknown[] = [];
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data, paging } = await fetchPage({
      ...query,
      limit: String(PAGE_SIZE),
      ...(after !== null && { after }),
    });
    if (!Array.isArray(data)) throw createPageError('contains no list of templates');
    templates.push(...(data as unknown[]));
    const { next, cursors } = (paging ?? {}) as { next?: unknown; cursors?: { after?: unknown } };
    // Meta sets `next` only if another page follows.
    if (next === undefined) return templates;
    if (typeof cursors?.after !== 'string' || cursors.after === after) throw createPageError('has no usable cursor');
    after = cursors.after;
  }
  throw createPageError('exceeds the page limit');
}

function readTemplate(value: unknown): CarrierTemplate[] {
  const { name, language, category, components, status } = (value ?? {}) as Json;
  if (typeof name !== 'string' || typeof language !== 'string') return [];
  return [
    {
      name,
      language,
      category: typeof category === 'string' ? category : 'UTILITY',
      status: toTemplateStatus(status),
      components: Array.isArray(components)
        ? components.filter((component) => typeof component === 'object' && component !== null)
        : [],
    },
  ];
}

function createPageError(problem: string): CarrierError {
  return CarrierError.refused('BAD_ANSWER', `A page of Meta's templates ${problem}.`, { retryable: true });
}
