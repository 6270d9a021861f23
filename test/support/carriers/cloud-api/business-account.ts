import { randomInt } from 'node:crypto';
import type { StubTemplate } from './message-rules.js';
import { invalidParameter, MetaRefusal } from './meta-error.js';

/** `GET /{business-account-id}/message_templates`. Meta sets `paging.next` only if another page follows. */
export function listTemplates(templates: readonly StubTemplate[], query: URLSearchParams, baseUrl: string): object {
  const limit = Number(query.get('limit') ?? 25);
  const start = query.has('after') ? Number(Buffer.from(query.get('after') as string, 'base64').toString()) : 0;
  const page = templates.slice(start, start + limit);
  const fields = query.get('fields')?.split(',') ?? ['id', 'name', 'language', 'status', 'category', 'components'];
  const data = page.map((template) =>
    Object.fromEntries(Object.entries(template).filter(([name]) => name === 'id' || fields.includes(name))),
  );
  const encodeCursor = (index: number) => Buffer.from(String(index)).toString('base64');
  const hasNextPage = start + page.length < templates.length;
  return {
    data,
    paging: {
      cursors: { before: encodeCursor(start), after: encodeCursor(start + page.length) },
      ...(hasNextPage && { next: `${baseUrl}/v26.0/next-page-of-another-host` }),
    },
  };
}

/** Imitates `POST /{business-account-id}/message_templates` with the checks that Meta makes immediately. */
export function createTemplate(templates: StubTemplate[], draft: Record<string, unknown>): object {
  const { name, language, category, components, parameter_format } = draft as Partial<StubTemplate>;
  if (typeof name !== 'string' || !/^[a-z0-9_]{1,512}$/.test(name)) throw invalidParameter('name');
  if (typeof language !== 'string' || !/^[a-z]{2,3}(_[A-Z]{2})?$/.test(language)) throw invalidParameter('language');
  if (!['MARKETING', 'UTILITY', 'AUTHENTICATION'].includes(String(category))) throw invalidParameter('category');
  const body = components?.find(({ type }) => type === 'BODY');
  // Authentication templates have no text, because Meta writes it.
  const text = category === 'AUTHENTICATION' && body ? '' : body?.text;
  if (!components || typeof text !== 'string') throw invalidParameter('components: a BODY is required');
  const keys = [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, key]) => key as string);
  const isNamed = keys.some((key) => !/^\d+$/.test(key));
  if (isNamed !== (parameter_format === 'NAMED'))
    throw invalidParameter('parameter_format does not fit the parameters');
  if (keys.length > 0 && body?.example === undefined) {
    throw new MetaRefusal(100, 'Invalid parameter', {
      subcode: 2388043,
      details: 'BODY is missing expected field(s) (example)',
    });
  }
  if (templates.some((template) => template.name === name && template.language === language)) {
    const details = 'There is already content in this language for this template.';
    throw new MetaRefusal(100, 'Invalid parameter', { subcode: 2388024, details });
  }
  const createdTemplate = {
    id: String(randomInt(1e12, 2e14)),
    name,
    language,
    category: String(category),
    status: 'PENDING',
    components,
  };
  templates.push({ ...createdTemplate, ...(parameter_format && { parameter_format }) });
  return { id: createdTemplate.id, status: createdTemplate.status, category: createdTemplate.category };
}

/** Imitates `POST /{template-id}`, after which Meta reviews the edited template again. */
export function editTemplate(template: StubTemplate, change: Record<string, unknown>): object {
  if (!['APPROVED', 'REJECTED', 'PAUSED'].includes(template.status)) {
    throw new MetaRefusal(100, 'Invalid parameter', { subcode: 2388025, details: 'The template cannot be edited.' });
  }
  const { components = template.components, category = template.category } = change as Partial<StubTemplate>;
  Object.assign(template, { components, category, status: 'PENDING' });
  return { success: true };
}

/** Imitates `DELETE /{business-account-id}/message_templates`, which removes templates by name or by ID. */
export function removeTemplates(templates: StubTemplate[], query: URLSearchParams): object {
  const [name, id] = [query.get('name'), query.get('hsm_id')];
  const remaining = templates.filter((template) => template.name !== name || (id !== null && template.id !== id));
  if (remaining.length === templates.length) throw invalidParameter('name');
  templates.splice(0, templates.length, ...remaining);
  return { success: true };
}

/** Imitates `GET /{phone-number-id}/whatsapp_business_profile`, which returns only the requested fields. */
export function readProfile(profile: Record<string, unknown> | undefined, query: URLSearchParams): object {
  const fields = query.get('fields')?.split(',') ?? [];
  const requestedFields = Object.entries(profile ?? {}).filter(([name]) => fields.includes(name));
  return { data: [{ ...Object.fromEntries(requestedFields), messaging_product: 'whatsapp' }] };
}

/** `POST /{phone-number-id}/whatsapp_business_profile` */
export function changeProfile(
  profiles: Map<string, Record<string, unknown>>,
  id: string,
  { messaging_product, ...change }: Record<string, unknown>,
): object {
  if (messaging_product !== 'whatsapp') throw invalidParameter('messaging_product');
  if (change.vertical === 'NOWHERE') throw invalidParameter('vertical');
  const { profile_picture_handle: handle, ...fields } = change;
  const picture = handle === undefined ? {} : { profile_picture_url: `https://pps.example/${handle}` };
  profiles.set(id, { ...profiles.get(id), ...fields, ...picture });
  return { success: true };
}
