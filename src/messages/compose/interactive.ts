import type { FieldProblem } from '../../platform/errors/app-error.js';
import { isBlank } from '../../platform/errors/field-problems.js';

export const INTERACTIVE_KINDS = [
  'button',
  'list',
  'cta_url',
  'location_request_message',
  'request_contact_info',
  'flow',
] as const;
/**
 * Types of interactive messages that only Meta can validate, because they refer to data at Meta or exist only in some
 * countries.
 */
export const UNCHECKED_KINDS = [
  'product',
  'product_list',
  'catalog_message',
  'order_details',
  'order_status',
  'address_message',
  'carousel',
  'voice_call',
  'call_permission_request',
] as const;

/** Total over all sections. */
export const MAX_ROWS = 10;

interface Choice {
  id: string;
  title: string;
}

/** Validated by the schema. */
export interface Interactive {
  type: (typeof INTERACTIVE_KINDS)[number] | (typeof UNCHECKED_KINDS)[number];
  header?: { type: string; [content: string]: unknown };
  body?: { text: string };
  footer?: { text: string };
  action: {
    buttons?: { reply: Choice }[];
    sections?: { title?: string; rows?: Choice[] }[];
    parameters?: Record<string, unknown>;
    [more: string]: unknown;
  };
}

export function checkInteractive({ type, header, body, action }: Interactive): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (header && header[header.type] === undefined) {
    problems.push({
      field: `interactive.header.${header.type}`,
      rule: `is required where the header is ${header.type}`,
      kind: 'missing',
    });
  }
  if (body && isBlank(body.text)) {
    problems.push({ field: 'interactive.body.text', rule: 'must not consist only of spaces or invisible characters' });
  }
  if (type === 'button') {
    const replies = (action.buttons ?? []).map(({ reply }, index) => ({ ...reply, field: `buttons[${index}].reply` }));
    problems.push(...findDuplicates(replies, 'id'), ...findDuplicates(replies, 'title'));
  }
  if (type === 'list') problems.push(...checkList(action.sections ?? []));
  if (type === 'flow') {
    const { flow_id: id, flow_name: name } = action.parameters ?? {};
    if ((id === undefined) === (name === undefined)) {
      const rule = 'must have either flow_id or flow_name';
      problems.push({ field: 'interactive.action.parameters', rule, kind: 'missing' });
    }
  }
  return problems;
}

function checkList(sections: NonNullable<Interactive['action']['sections']>): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const rows = sections.flatMap(({ rows = [] }, section) =>
    rows.map((row, index) => ({ ...row, field: `sections[${section}].rows[${index}]` })),
  );
  if (rows.length > MAX_ROWS) {
    const rule = `must not have more than ${MAX_ROWS} rows over all sections (it has ${rows.length})`;
    problems.push({ field: 'interactive.action.sections', rule });
  }
  if (sections.length > 1) {
    sections.forEach(({ title }, index) => {
      if (title !== undefined && !isBlank(title)) return;
      const rule = 'is required if there are several sections';
      problems.push({ field: `interactive.action.sections[${index}].title`, rule, kind: 'missing' });
    });
  }
  return [...problems, ...findDuplicates(rows, 'id')];
}

function findDuplicates(choices: readonly (Choice & { field: string })[], name: keyof Choice): FieldProblem[] {
  const seen = new Set<string>();
  return choices.flatMap((choice) => {
    if (!seen.has(choice[name])) {
      seen.add(choice[name]);
      return [];
    }
    return [{ field: `interactive.action.${choice.field}.${name}`, rule: 'must not repeat an earlier one' }];
  });
}
